# SPDX-License-Identifier: BSD-3-Clause
# For Spack 1.0 or later, in the folder of Pagoda's source:
#     spack repo add packaging/spack/spack_repo/pagoda
#     spack dev-build pagoda@0.1.0
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Pagoda(MakefilePackage):
    """Trace analyzer for MPI programs: where time is lost, why, and which change would pay off most."""

    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("otf2@3:")
    depends_on("libxml2")
    depends_on("sqlite@3.36:")
    depends_on("jansson")
    depends_on("elfutils")
    depends_on("muparser")
    depends_on("gsl")
    depends_on("hwloc")
    depends_on("metis")
    depends_on("zlib-api")
    depends_on("protobuf-c")

    build_time_test_callbacks = []  # `make check` installs packages of the system

    @property
    def build_targets(self):
        return ["all", f"prefix={self.prefix}"]

    @property
    def install_targets(self):
        return ["install", f"prefix={self.prefix}"]
