"""`python -m fathom` is `fathom`."""

# Workers load this module too, and need no commands.
if __name__ == "__main__":
    from fathom.cli.main import run

    run()
