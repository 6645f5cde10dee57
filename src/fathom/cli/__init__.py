"""Words become one call into one room; what comes back is printed."""
