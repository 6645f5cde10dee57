"""Records that every other package uses: types, ids and file formats."""
