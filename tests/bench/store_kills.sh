#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What kill -9 leaves of a database that eight processes store in and four read: KILLS kills (200), chosen
# by SEED (1). Fails if a finished trial is lost or one is there in part.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build} tests/store-kills --kills "${KILLS:-200}" --seed "${SEED:-1}"
