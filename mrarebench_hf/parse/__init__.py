"""Replies into answers: each public module here is one parser, named by the shape it reads; pure text, no I/O."""
