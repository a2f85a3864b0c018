#!/bin/sh
exec node "$(dirname "$0")/curl.mjs" "$@"
