"""A query language over any schema: programs as trees, their SQL, a second evaluation, wording, mutants and faults.

A family declares a `Schema` (tables, columns, relations, phrases). From one program tree come its SQL (`sql`), its rows
without SQL (`evaluate`), its typed answer (`answers`), its question and explanation (`wording`), single-edit mutants of
its SQL with databases that detect them (`mutants`), and the answers of readers who make one mistake (`faults`).
"""
