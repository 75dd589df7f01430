"""Guardians: simultaneous hidden choice and chain explosions."""
