# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What all scripts that run MPI programs for tests set.

# MPI that starts as root and on few cores, without a look for networks and devices that a test does not use,
# and without components that are never chosen: of the time in which a program of a few calls starts and ends,
# that is a half.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_mapby=:oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_pml=ob1 PMIX_MCA_gds=hash HWLOC_PLUGINS_PATH=/none UCX_MODULES='' UCX_TLS=posix,self
export HWLOC_COMPONENTS=-x86,-linux:pci,-linux:io
export OMPI_MCA_coll=^adapt,han,monitoring,sync OMPI_MCA_ras=^gridengine,simulator OMPI_MCA_schizo=^flux,jsm

# The programs of tests lie in a repository, whose revision is not asked for with each recording.
export GIT_CEILING_DIRECTORIES=${ROOT:-$PWD}

# The tables of otf2-print take 180 MB before it reads anything: in one piece of large pages, a
# fifteenth of the time.
export OTF2_PRINT_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000
otf2-print() {
    GLIBC_TUNABLES=$OTF2_PRINT_TUNABLES command otf2-print "$@"
}
