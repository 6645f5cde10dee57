"""The public Python API: what notebooks and the command line call."""
