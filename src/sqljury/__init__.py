"""sqljury: does this SQL answer what the user asked, and how do we know?"""
