"""From a `Run` to verdict, techniques, score and late policy. Pure: neither files nor clock."""
