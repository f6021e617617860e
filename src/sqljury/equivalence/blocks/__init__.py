"""What several rules use: joins taken apart and put together, keys, NULLs, value sets."""
