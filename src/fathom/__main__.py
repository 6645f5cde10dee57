"""`python -m fathom` is `fathom`."""

from fathom.cli.main import run

if __name__ == "__main__":
    run()
