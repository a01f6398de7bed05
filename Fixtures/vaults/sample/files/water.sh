#!/bin/sh
# A program: its mode comes back with it.
echo "watered $(date +%F)"
