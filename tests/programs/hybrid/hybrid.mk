# SPDX-License-Identifier: BSD-3-Clause
# MPI with threads. With OpenMP: programs $(BUILD)/programs/MPI/hybrid/COMPILER, built by gcc and gfortran for GNU's
# runtime, and by clang for LLVM's where it is
# installed. `cxx` has C++'s threads. `local` loads hybrid.c with MPI and GNU's runtime by dlopen(), as Python would. Included
# by the Makefile.

# $(call hybrid-of,MPI)
hybrid-of = $(addprefix $(BUILD)/programs/$(1)/hybrid/,\
    gcc cxx local libhybrid.so $(if $(call has-fortran,$(1)),gfortran) $(if $(has-libomp),clang))
has-libomp := $(if $(MPIS),$(or $(wildcard $(BUILD)/programs/*/hybrid/clang),\
    $(shell echo 'int omp_get_num_threads(void); int main(void) { return omp_get_num_threads(); }' | \
    clang -fopenmp -x c -o /dev/null - 2>/dev/null && echo yes)))
programs += $(foreach mpi,$(MPIS),$(call hybrid-of,$(mpi)))

# $(call hybrid-rules,MPI)
define hybrid-rules
$(BUILD)/programs/$(1)/hybrid/gcc: tests/programs/hybrid/hybrid.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)OMPI_CC=gcc MPICH_CC=gcc mpicc.$(1) -fopenmp -O2 -g -std=gnu11 -Wall -Wextra -I. -o $$@ $$<
$(BUILD)/programs/$(1)/hybrid/cxx: tests/programs/hybrid/threads.cc
	$$(call say,MPICXX,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicxx.$(1) -pthread -O2 -g -std=c++17 -DOMPI_SKIP_MPICXX -Wall -Wextra -I. -o $$@ $$<
$(BUILD)/programs/$(1)/hybrid/libhybrid.so: tests/programs/hybrid/hybrid.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)OMPI_CC=gcc MPICH_CC=gcc mpicc.$(1) -fopenmp -O2 -g -std=gnu11 -Wall -Wextra -fPIC -shared -I. \
	    -Dmain=hybrid_main -o $$@ $$<
$(BUILD)/programs/$(1)/hybrid/local: tests/programs/hybrid/local.c
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)gcc -O2 -g -std=gnu11 -Wall -Wextra -o $$@ $$< -ldl
$(BUILD)/programs/$(1)/hybrid/clang: tests/programs/hybrid/hybrid.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)OMPI_CC=clang MPICH_CC=clang mpicc.$(1) -fopenmp -O2 -g -std=gnu11 -Wall -Wextra -I. -o $$@ $$<
$(BUILD)/programs/$(1)/hybrid/gfortran: tests/programs/hybrid/hybrid_f.F90
	$$(call say,MPIFORT,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpif90.$(1) -fopenmp -O2 -g -w -o $$@ $$<
endef
$(foreach mpi,$(MPIS),$(eval $(call hybrid-rules,$(mpi))))
