"""The public Python API, used by notebooks and by the command line.

`corpora`, `contexts`, `benches`, `runs`, `scores` and `findings` are offered by `import fathom`; `judging` runs judges.
The other modules connect packages that do not import each other: `bench_views` gives runs access to benches,
`simulation` answers as simulated models, `inspect_tasks` are the tasks of `inspect eval`.
"""
