"""Report pages, leaderboards, tables and figures, written from findings."""
