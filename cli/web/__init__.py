"""Play in the browser: a server for this machine alone, and the page of a seat (extra `web`)."""
