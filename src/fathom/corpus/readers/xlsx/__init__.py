"""Reader of Excel workbooks (xlsx)."""
