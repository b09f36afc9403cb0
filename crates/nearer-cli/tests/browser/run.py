#!/usr/bin/env python3
"""Runs the tests of the page in one browser: python run.py [TEST …]

NEARER is the command (default: the debug build), CHROMIUM the browser (default: /usr/bin/chromium).
"""
import sys
import unittest

import desk


def main():
    desk.browser = desk.Browser()
    try:
        loader = unittest.TestLoader()
        loader.testNamePatterns = [f"*{name}*" for name in sys.argv[1:]] or None
        suite = unittest.TestSuite(loader.loadTestsFromName(name) for name in ("test_map", "test_evidence", "test_layers"))
        return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1
    finally:
        desk.browser.close()


if __name__ == "__main__":
    sys.exit(main())
