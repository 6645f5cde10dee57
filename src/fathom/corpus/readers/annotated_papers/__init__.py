"""Reader of JSON lines: papers in Markdown with metadata and cited works."""
