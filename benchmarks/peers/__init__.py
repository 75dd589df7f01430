"""Other suites beside ours: how many steps a second each makes on one core.

    python -m chromazoo.benchmarks.peers

plays every game at random with one measure and prints one table. The suites come with
`pip install 'chromazoo[peers]'`, or one by one; a suite that is not installed is listed as skipped.

**The measure** is that of `chromazoo bench`: legal actions drawn uniformly, the legal mask made at
every step, a new game wherever one ends; once without and once with the observation of the seat
that decides. A step is one decision of one seat: chance and new games cost time and count nothing.
A rate is the median of five runs, with and without observations in turn. Every game is measured in
a process of its own, bound to one core, where the system can bind processes. Where several batches
are tried, the best with observations is shown.

**What the figures do not say.** They are of environments, not of games' difficulty, and no two rows
show the same game. Boards and decks, numbers of actions, legal actions at a decision and lengths of
games differ; so does what is hidden, and what an observation holds, from 34 numbers to eight past
positions of a board. A suite that steps one game at a time serves other uses than one that steps
thousands: compare rows that have as many games at once. The column `ratio` sets each row beside the
game of ours that is closest in kind, not equal to it. The notes below the table name what differs.

An adapter is a module of this package with a function `run(game, batches, seconds)`, which returns
a `play.Found`; `suites.py` lists who runs what.
"""
