# SPDX-License-Identifier: BSD-3-Clause
# The same MPI calls through every binding: programs $(BUILD)/programs/MPI/bindings/BINDING.
# Included by the Makefile. Those in Fortran are built where there is a Fortran compiler.

bindings-c := c cxx shared dlopen dlsym libcount.so libtool.so
# The C++ bindings of MPI-2, which Open MPI had until 5.
has-cxx = $(wildcard $(addprefix /usr/lib/*/$(1)/include/,mpicxx.h openmpi/ompi/mpi/cxx/mpicxx.h) \
    /usr/include/*/$(1)/mpicxx.h)
bindings-fortran := mpif_h mpi mpi_f08
# $(call bindings-of,MPI)
bindings-of = $(addprefix $(BUILD)/programs/$(1)/bindings/,\
    $(bindings-c) $(if $(call has-cxx,$(1)),mpicxx) $(if $(call has-fortran,$(1)),$(bindings-fortran)))
programs += $(foreach mpi,$(MPIS),$(call bindings-of,$(mpi)))

# $(call bindings-rules,MPI)
define bindings-rules
$(BUILD)/programs/$(1)/bindings/%: FLAGS = -O1 -g -std=gnu11 -Wall -Wextra
$(BUILD)/programs/$(1)/bindings/c: tests/programs/bindings/calls.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.$(1) $$(FLAGS) -Wno-stringop-overflow -DCALLS_MAIN -o $$@ $$<
$(BUILD)/programs/$(1)/bindings/cxx: tests/programs/bindings/calls.c
	$$(call say,MPICXX,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicxx.$(1) -O1 -g -w -DCALLS_MAIN -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX \
	    -x c++ -o $$@ $$< -Wl,--as-needed
$(BUILD)/programs/$(1)/bindings/mpicxx: tests/programs/bindings/calls_cxx.cc
	$$(call say,MPICXX,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicxx.$(1) -O1 -g -w -o $$@ $$<
$(BUILD)/programs/$(1)/bindings/libcalls.so: tests/programs/bindings/calls.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.$(1) $$(FLAGS) -Wno-stringop-overflow -fPIC -shared -Wl,-soname,libcalls.so -o $$@ $$<
$(BUILD)/programs/$(1)/bindings/shared: tests/programs/bindings/calls_library.c \
    $(BUILD)/programs/$(1)/bindings/libcalls.so
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(FLAGS) -o $$@ $$^ -Wl,-rpath,'$$$$ORIGIN' -Wl,--allow-shlib-undefined
$(BUILD)/programs/$(1)/bindings/dlopen: tests/programs/bindings/calls_library.c \
    $(BUILD)/programs/$(1)/bindings/libcalls.so
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(FLAGS) -DCALLS_DLOPEN -o $$@ $$< -ldl
$(BUILD)/programs/$(1)/bindings/dlsym: tests/programs/bindings/calls_dlsym.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.$(1) $$(FLAGS) -c -o $$@.o $$<
	$$(Q)$$(CC) -o $$@ $$@.o -ldl
$(BUILD)/programs/$(1)/bindings/libcount.so: tests/programs/bindings/count_calls.c \
    $(BUILD)/tracer/$(1)/names
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)sed 's/.*/ENTRY(&, 0)/' $(BUILD)/tracer/$(1)/names >$$@.h
	$$(Q)$$(CC) $$(FLAGS) -O2 -fPIC -shared -DCOUNTED='"$$(abspath $$@).h"' -o $$@ $$< -ldl
$(BUILD)/programs/$(1)/bindings/libtool.so: tests/programs/bindings/other_tool.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.$(1) $$(FLAGS) -fPIC -shared -o $$@ $$<
$(bindings-fortran:%=$(BUILD)/programs/$(1)/bindings/%): $(BUILD)/programs/$(1)/bindings/%: \
    tests/programs/bindings/calls.F90
	$$(call say,MPIFORT,$$@)
	@mkdir -p $$@.modules
	$$(Q)mpif90.$(1) -O1 -g -w -fallow-argument-mismatch -DUSE_$$(shell echo $$* | tr a-z A-Z) \
	    -J $$@.modules -o $$@ $$<
endef
$(foreach mpi,$(MPIS),$(eval $(call bindings-rules,$(mpi))))
