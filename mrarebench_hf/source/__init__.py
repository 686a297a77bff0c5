"""Stage source: raw benchmark files in, ``Case`` records out.

``resolve`` finds a task's file, ``tsv`` streams its rows as text, ``cells`` reads what a cell holds, ``picture`` turns
base64 into bytes and bytes into RGB, ``cases`` puts a row together. Nothing here loads torch or datasets.
"""
