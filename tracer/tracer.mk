# SPDX-License-Identifier: BSD-3-Clause
# The tracer: a preloaded dispatcher, one recorder for each MPI installed, and the program that
# turns what they leave into an OTF2 archive. Included by the Makefile.

# Flags of programs of our own, and of what is loaded into others' programs or linked by MPI's compilers: that has no
# runtime of the address sanitizer, and ends at undefined behaviour. Entries that only pass a call on leave the stack
# (gomp.c).
TRACER_PROGRAM_CFLAGS = -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -I. $(CPPFLAGS) $(WARNINGS) $(CFLAGS)
comma = ,
inside = $(subst address$(comma)undefined,undefined -fsanitize-undefined-trap-on-error \
	-foptimize-sibling-calls,$(filter-out -fno-sanitize-recover=all -fno-pie -no-pie \
	-static-libasan -static-libubsan tests/sanitized.c,$(1)))
TRACER_CFLAGS = $(call inside,$(TRACER_PROGRAM_CFLAGS))
TRACER_LDFLAGS = $(call inside,$(LDFLAGS))
TRACER_HEADERS = $(wildcard tracer/*.h tracer/*/*.h) tracer/tracer.mk $(BUILD)/flags
# MPI's compiler wrappers call the compiler the rest is built with.
TRACER_WRAPPED = OMPI_CC='$(CC)' MPICH_CC='$(CC)'

TRACER_MPICC_openmpi := $(shell command -v mpicc.openmpi 2>/dev/null)
TRACER_MPICC_mpich := $(shell command -v mpicc.mpich 2>/dev/null)
# Elsewhere than Debian there is one mpicc: ask it which MPI it is.
ifeq ($(TRACER_MPICC_openmpi)$(TRACER_MPICC_mpich),)
TRACER_MPICC := $(shell command -v mpicc 2>/dev/null)
ifneq ($(TRACER_MPICC),)
TRACER_KIND := $(shell echo '\#include <mpi.h>' > /tmp/pagoda-which-mpi.$$$$.c; \
	$(TRACER_MPICC) -E -dM /tmp/pagoda-which-mpi.$$$$.c | grep -q OMPI_MAJOR_VERSION \
	&& echo openmpi || echo mpich; rm -f /tmp/pagoda-which-mpi.$$$$.c)
TRACER_MPICC_$(TRACER_KIND) := $(TRACER_MPICC)
endif
endif
# The binary interface of MPI 5 is a third one: what is built with anybody's copy of its mpi.h serves every MPI
# library that has it. mpicc_abi finds that copy, or MPI_ABI is its folder.
MPI_ABI ?= $(patsubst %/mpi.h,%,$(firstword $(wildcard \
	/usr/lib/*/mpi_abi*/include/mpi.h /usr/lib/*/openmpi/include/standard_abi/mpi.h)))
TRACER_MPICC_mpi_abi := $(firstword $(shell command -v mpicc_abi mpicc.mpi_abi 2>/dev/null))
ifeq ($(TRACER_MPICC_mpi_abi),)
TRACER_MPICC_mpi_abi := $(if $(MPI_ABI),$(CC) -isystem $(MPI_ABI))
TRACER_LIBRARY_mpi_abi = -L$(MPI_ABI)/../lib -L$(MPI_ABI)/../../lib -lmpi_abi
endif
TRACER_WANTED = $(if $(filter undefined,$(origin MPIS)),openmpi mpich mpi_abi,$(MPIS))
TRACER_MPIS := $(strip $(foreach m,$(TRACER_WANTED),$(if $(TRACER_MPICC_$(m)),$(m))))

# record/ knows no MPI, mpi/ is compiled once for each.
TRACER_RECORD_NAMES = $(patsubst tracer/%.c,%,$(sort $(wildcard tracer/record/*.c)))
TRACER_MPI_NAMES = $(patsubst tracer/%.c,%,$(sort $(wildcard tracer/mpi/*.c)))
TRACER_WRAPPERS = $(sort $(wildcard tracer/mpi/wrap_*.c))
TRACER_HAND = $(shell sed -n 's/^WRAP(\(MPI_[A-Za-z_]*\)).*/\1/p' $(TRACER_WRAPPERS))

ifeq ($(TRACER_MPIS),)
TRACER_TARGETS =
TRACER_INSTALL =
tracer:
	@echo "tracer: skipped, no MPI compiler (mpicc.openmpi, mpicc.mpich or mpicc) was found"
else
TRACER_INSTALL = $(BUILD)/libpagoda-trace.so $(BUILD)/pagoda-trace-finish \
	$(TRACER_MPIS:%=$(BUILD)/libpagoda-%.so) \
	$(BUILD)/pagoda-calibrate $(TRACER_MPIS:%=$(BUILD)/pagoda-calibrate-%)
TRACER_TARGETS = $(TRACER_INSTALL)
tracer: $(TRACER_TARGETS)
endif
all: tracer
.PHONY: tracer

# Rules of one MPI.
define tracer_mpi_rules
$(BUILD)/tracer/$(1)/mpi.i: tracer/tracer.mk
	@mkdir -p $$(@D)
	$$(Q)printf '%s\n' '#include <mpi.h>' '#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)' \
		'#include <mpi-ext.h>' '#endif' > $$(@D)/mpi.c
	$$(Q)$$(TRACER_WRAPPED) $$(TRACER_MPICC_$(1)) -E -P -MD -MP -MT $$@ -MF $$(@D)/mpi.d \
		$$(@D)/mpi.c > $$@

$(BUILD)/tracer/$(1)/names: $(BUILD)/tracer/$(1)/mpi.i tracer/mpi/generate.awk
	$$(Q)LC_ALL=C awk -v mode=names -f tracer/mpi/generate.awk $$< > $$@

$(BUILD)/tracer/$(1)/rules: $(BUILD)/tracer/$(1)/mpi.i tracer/mpi/generate.awk tracer/mpi/functions.list
	$$(Q)LC_ALL=C awk -v mode=rules -f tracer/mpi/generate.awk tracer/mpi/functions.list $$< > $$@

$(BUILD)/tracer/$(1)/functions.gen.h: $(BUILD)/tracer/$(1)/mpi.i \
		tracer/mpi/generate.awk
	$$(call say,GEN,$$@)
	$$(Q)LC_ALL=C awk -v mode=header -f tracer/mpi/generate.awk $$< > $$@

$(BUILD)/tracer/$(1)/functions.gen.c: $(BUILD)/tracer/$(1)/mpi.i \
		tracer/mpi/generate.awk tracer/mpi/functions.list $(TRACER_WRAPPERS)
	@{ echo '// Generated from mpi.h and tracer/mpi/functions.list.'; \
	   echo '#include "tracer/mpi/comm.h"'; echo '#include "tracer/mpi/hooks.h"'; } > $$@.new
	$$(call say,GEN,$$@)
	$$(Q)LC_ALL=C awk -v mode=source -v hand="$$(TRACER_HAND)" -f tracer/mpi/generate.awk \
		tracer/mpi/functions.list $$< >> $$@.new
	@mv $$@.new $$@

$(BUILD)/tracer/$(1)/%.o: tracer/%.c $(BUILD)/tracer/$(1)/functions.gen.h \
		$(TRACER_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,MPICC,$$@)
	$$(Q)$$(TRACER_WRAPPED) $$(TRACER_MPICC_$(1)) $$(TRACER_CFLAGS) -I$(BUILD)/tracer/$(1) -DRECORDER_MPI='"$(1)"' -c $$< -o $$@

$(BUILD)/tracer/$(1)/functions.gen.o: $(BUILD)/tracer/$(1)/functions.gen.c \
		$(BUILD)/tracer/$(1)/functions.gen.h $(TRACER_HEADERS)
	$$(call say,MPICC,$$@)
	$$(Q)$$(TRACER_WRAPPED) $$(TRACER_MPICC_$(1)) $$(TRACER_CFLAGS) -Wno-deprecated-declarations -I$$(@D) -c $$< -o $$@

# Linked without the MPI library: the one the program has loaded is the right one.
$(BUILD)/libpagoda-$(1).so: $(BUILD)/tracer/$(1)/functions.gen.o \
		$(patsubst %,$(BUILD)/tracer/$(1)/%.o,$(TRACER_RECORD_NAMES) $(TRACER_MPI_NAMES))
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $$(TRACER_CFLAGS) $$(TRACER_LDFLAGS) -shared -Wl,-z,lazy -Wl,-soname,$$(@F) $$^ -o $$@ -lpthread -ldl

$(BUILD)/pagoda-calibrate-$(1): $(CALIBRATE_SOURCES) tracer/calibrate/calibrate.h tracer/tracer.mk $(BUILD)/flags
	$$(call say,MPICC,$$@)
	$$(Q)$$(TRACER_WRAPPED) $$(TRACER_MPICC_$(1)) $$(TRACER_CFLAGS) $$(TRACER_LDFLAGS) $$(CALIBRATE_SOURCES) \
		-o $$@ $$(TRACER_LIBRARY_$(1)) -lhwloc
endef
# The measuring program of `pagoda calibrate`, once for each MPI, and what chooses among them.
CALIBRATE_SOURCES := $(filter-out tracer/calibrate/select.c,$(sort $(wildcard tracer/calibrate/*.c)))
$(BUILD)/pagoda-calibrate: tracer/calibrate/select.c $(BUILD)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(TRACER_CFLAGS) $(TRACER_LDFLAGS) $< -o $@

$(foreach m,$(TRACER_MPIS),$(eval $(call tracer_mpi_rules,$(m))))
-include $(TRACER_MPIS:%=$(BUILD)/tracer/%/mpi.d)

$(BUILD)/tracer/entries.h: $(TRACER_MPIS:%=$(BUILD)/tracer/%/names)
	$(Q)LC_ALL=C sort -u $^ | awk '{ printf "ENTRY(%s, %d)\n", $$1, NR - 1 }' > $@

$(BUILD)/tracer/language_entries.h: $(BUILD)/tracer/entries.h tracer/dispatch/language.awk
	$(Q)LC_ALL=C awk -f tracer/dispatch/language.awk $< > $@

# The list of MPI functions with how each is recorded.
functions: $(BUILD)/functions.txt
	@cat $<
$(BUILD)/functions.txt: $(TRACER_MPIS:%=$(BUILD)/tracer/%/rules) tracer/mpi/functions.awk $(TRACER_WRAPPERS)
	$(Q)grep -oH '^WRAP([A-Za-z_]*)' $(TRACER_WRAPPERS) | \
		LC_ALL=C awk -f tracer/mpi/functions.awk $(TRACER_MPIS:%=$(BUILD)/tracer/%/rules) - > $@
.PHONY: functions

TRACER_DISPATCH_SOURCES = $(addprefix tracer/dispatch/,caller.c dispatch.c files.c gomp.c language.c ompt.c threads.c \
	trampolines.S)

$(BUILD)/libpagoda-trace.so: $(TRACER_DISPATCH_SOURCES) $(BUILD)/tracer/entries.h \
		$(BUILD)/tracer/language_entries.h $(TRACER_HEADERS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TRACER_CFLAGS) -DENTRIES='"$(BUILD)/tracer/entries.h"' \
		-DLANGUAGE_ENTRIES='"$(BUILD)/tracer/language_entries.h"' -shared \
		-Wl,-soname,$(@F) $(TRACER_DISPATCH_SOURCES) -o $@ -ldl -lpthread

TRACER_FINISH_SOURCES = $(wildcard tracer/finish/*.c tracer/finish/*/*.c)
TRACER_FINISH_HEADERS = $(wildcard tracer/*.h tracer/dispatch/*.h tracer/record/*.h tracer/finish/*.h \
    tracer/finish/*/*.h)

$(BUILD)/tracer/finish/%.o: tracer/finish/%.c $(TRACER_FINISH_HEADERS) tracer/tracer.mk $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(need-libraries)$(Q)$(CC) $(TRACER_PROGRAM_CFLAGS) $(otf2-cflags) -c $< -o $@

# The finisher reads what record/ wrote, and measures what that costs with the same code (cost.c).
$(BUILD)/tracer/record/%.o: tracer/record/%.c $(TRACER_FINISH_HEADERS) tracer/tracer.mk $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TRACER_PROGRAM_CFLAGS) -c $< -o $@

TRACER_READERS = $(patsubst tracer/%.c,$(BUILD)/tracer/%.o,$(filter-out %/main.c,$(TRACER_FINISH_SOURCES))) \
	$(TRACER_RECORD_NAMES:%=$(BUILD)/tracer/%.o)
$(BUILD)/pagoda-trace-finish: $(BUILD)/tracer/finish/main.o $(TRACER_READERS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(otf2-libs) -ldw -lelf -ldl
