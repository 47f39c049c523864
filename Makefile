# SPDX-License-Identifier: BSD-3-Clause
# Builds, tests and installs Pagoda; `make help` lists the targets. GNU make 4.
#
# Sources are found by wildcard, everything built goes below $(BUILD). The libraries are looked up
# when the first file is compiled, so that `make deps`, `make clean` and `make help` need none.

VERSION = 0.1.0

BUILD ?= build
CC ?= cc
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
prefix ?= $(PREFIX)
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
datadir ?= $(prefix)/share
includedir ?= $(prefix)/include
mandir ?= $(datadir)/man
INSTALL ?= install
PKG_CONFIG ?= pkg-config
CLANG_FORMAT ?= clang-format
N_CORES := $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL = all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# V=1 shows the commands.
Q = $(if $(filter-out 0,$(V)),,@)
say = $(if $(filter-out 0,$(V)),,@printf '  %-7s %s\n' $(1) $(2))
# Recipes that call make again use all cores unless the caller chose a number himself.
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(N_CORES))

## ---- libraries: pkg-config first, for OTF2 else otf2-config --------------------------------

LIBRARIES = otf2 libxml-2.0 sqlite3 jansson libdw muparser gsl zlib libprotobuf-c

# $(call once,NAME,COMMAND): the variable NAME, computed by the shell at its first use.
define once
$(1) = $$(eval $(1) := $$(shell $(2)))$$($(1))
endef

# $(call library,PKG): a line of what is missing, or nothing.
probe = for library in $(1); do $(PKG_CONFIG) --exists $$$$library 2>/dev/null || \
    { test $$$$library = otf2 && otf2-config --version >/dev/null 2>&1; } || echo $$$$library; done
flags = for library in $(2); do $(PKG_CONFIG) $(1) $$$$library 2>/dev/null || \
    { test $$$$library = otf2 && otf2-config $(1) && \
    { test $(1) = --cflags || otf2-config --ldflags; }; }; done

$(eval $(call once,missing-libraries,$(call probe,$(LIBRARIES))))
$(eval $(call once,library-cflags,$(call flags,--cflags,$(LIBRARIES))))
$(eval $(call once,library-libs,$(call flags,--libs,$(LIBRARIES))))
# Libraries that pkg-config does not know.
plain-libs = -lmetis -ldl
$(eval $(call once,otf2-cflags,$(call flags,--cflags,otf2)))
$(eval $(call once,otf2-libs,$(call flags,--libs,otf2)))
$(eval $(call once,cmocka-libs,$(PKG_CONFIG) --libs cmocka 2>/dev/null || echo -lcmocka))
need-libraries = $(if $(strip $(missing-libraries)),$(error cannot find the library \
    $(strip $(missing-libraries)): run `make deps`, or set PKG_CONFIG_PATH to where it is))

## ---- flags -----------------------------------------------------------------------------------

WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
    -Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wno-format-nonliteral \
    -Wno-unknown-warning-option -Wno-format-truncation \
    $(if $(filter-out 0,$(WERROR)),-Werror)
own-cppflags = -D_GNU_SOURCE -I. -DPAGODA_VERSION='"$(VERSION)"'
own-cflags = -std=c11 $(WARNINGS) -pthread
compile = $(need-libraries)$(Q)$(CC) $(own-cppflags) $(library-cflags) $(CPPFLAGS) $(own-cflags) \
    $(CFLAGS) -MMD -MP
link = $(Q)$(CC) $(own-cflags) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed

# Changed flags rebuild what they went into, changed folders of the installation only what names them.
all-flags = $(CC) $(own-cppflags) $(CPPFLAGS) $(own-cflags) $(CFLAGS) $(LDFLAGS)
folder-cppflags = -DPAGODA_DATADIR='"$(datadir)/pagoda"' -DPAGODA_LIBDIR='"$(libdir)/pagoda"'
$(BUILD)/flags: new = $(all-flags)
$(BUILD)/folders: new = $(folder-cppflags)
$(BUILD)/flags $(BUILD)/folders: force
	@mkdir -p $(@D)
	@new='$(subst ','\'',$(new))'; \
	    test "$$new" = "$$(cat $@ 2>/dev/null)" || printf '%s\n' "$$new" >$@
.PHONY: force
force:

## ---- the command -----------------------------------------------------------------------------

spread-source := analyzer/spread/mpi.c
sources := $(filter-out $(spread-source),\
    $(sort $(wildcard analyzer/*.c analyzer/*/*.c analyzer/*/*/*.c db/*.c db/*/*.c)))
objects := $(patsubst %.c,$(BUILD)/obj/%.o,$(sources))
objects += $(BUILD)/obj/db/schema.o $(BUILD)/obj/analyzer/perfetto/perfetto.pb-c.o $(patsubst %.html,$(BUILD)/obj/%_text.o,$(wildcard analyzer/report/pages/*.html))
main-object := $(filter $(BUILD)/obj/analyzer/main.o,$(objects))
library := $(BUILD)/obj/libpagoda.a

all: $(if $(main-object),$(BUILD)/pagoda)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(compile) $(if $(filter $@,$(objects-with-folders)),$(folder-cppflags)) \
	    $(if $(filter tests/%,$<),-Wno-unused-parameter) -c -o $@ $<

# The steps of the database's schema become texts in C.
$(BUILD)/obj/db/schema.c: $(shell ls -v db/schema/*.sql) db/schema
	$(call say,SQL,$@)
	@mkdir -p $(@D)
	$(Q)awk 'BEGIN { print "#include \"db/schema.h\"\n\nconst char *const schema_steps[] = {" } \
	    FNR == 1 && NR > 1 { print "," } { gsub(/[\\"]/, "\\\\&"); print "\"" $$0 "\\n\"" } END { print \
	    "};\nconst uint32_t schema_version = sizeof schema_steps / sizeof schema_steps[0];" }' $(filter %.sql,$^) >$@
$(BUILD)/obj/db/schema.o: $(BUILD)/obj/db/schema.c $(BUILD)/flags
	$(call say,CC,$<)
	$(compile) -c -o $@ $<

# Pages become texts in C, too, with the files that they include.
page-folder := analyzer/report/pages
page-texts := $(patsubst %.html,$(BUILD)/obj/%_text.o,$(wildcard $(page-folder)/*.html))
$(page-texts:.o=.c): $(BUILD)/obj/%_text.c: %.html $(sort $(wildcard $(page-folder)/*.css $(page-folder)/*.js))
	$(call say,HTML,$@)
	@mkdir -p $(@D)
	$(Q)awk 'function put(line) { gsub(/[\\"]/, "\\\\&", line); print "\"" line "\\n\"" } \
	    BEGIN { print "extern const char $(*F)_text[];\n\nconst char $(*F)_text[] =" } \
	    /^<!-- include .* -->$$/ { file = "$(page-folder)/" $$3; while ((getline line < file) > 0) put(line); next } \
	    { put($$0) } END { print ";" }' $< >$@
$(page-texts): %.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	$(compile) -c -o $@ $<

# The messages of Perfetto's format become structs in C, with the functions that pack them.
perfetto-messages := $(BUILD)/obj/analyzer/perfetto/perfetto.pb-c
$(perfetto-messages).c: analyzer/perfetto/perfetto.proto
	$(call say,PROTO,$@)
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $<
$(perfetto-messages).h: $(perfetto-messages).c
$(perfetto-messages).o: $(perfetto-messages).c $(BUILD)/flags
	$(call say,CC,$<)
	$(compile) -c -o $@ $<
$(BUILD)/obj/analyzer/perfetto/packets.o: private own-cppflags += -I$(BUILD)/obj/analyzer/perfetto
$(BUILD)/obj/analyzer/perfetto/packets.o: $(perfetto-messages).h

# The records that a copy of an archive holds as they are, from OTF2's own headers.
copying-objects := $(addprefix $(BUILD)/obj/analyzer/rewrite/,unchanged_definitions.o copy_events.o \
    merge/merge_definitions.o repair/record_fields.o)
$(copying-objects): private own-cppflags += -I$(BUILD)/obj/analyzer/rewrite
$(copying-objects): $(BUILD)/obj/analyzer/rewrite/record_kinds.gen.h
$(BUILD)/obj/analyzer/rewrite/record_kinds.gen.h: analyzer/rewrite/record_kinds.awk \
    analyzer/trace/otf2_records.h $(BUILD)/flags
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(need-libraries)
	$(Q)printf '%s\n' '#include <otf2/otf2.h>' | \
	    $(CC) $(library-cflags) $(CPPFLAGS) -E -P -MD -MF $(@:.h=.d) -MT $@ -x c - -o $@.i
	$(Q)LC_ALL=C awk -f $< analyzer/trace/otf2_records.h $@.i >$@
-include $(BUILD)/obj/analyzer/rewrite/record_kinds.gen.d

objects-with-folders := $(patsubst %.c,$(BUILD)/obj/%.o,$(shell grep -lE 'PAGODA_(DATA|LIB)DIR' $(sources)))
$(objects-with-folders): $(BUILD)/folders

$(library): $(filter-out $(main-object),$(objects))
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# The command finds its patterns beside the folder it was built in, wherever that is.
patterns-link = $(filter-out $(CURDIR)/patterns,$(abspath $(BUILD)/../patterns))
$(BUILD)/pagoda: $(main-object) $(library) | $(patterns-link)
	$(call say,LINK,$@)
	$(link) -o $@ $(main-object) $(library) $(library-libs) $(plain-libs) $(LDLIBS) -lm

# A line `.\" GENERATED: ARGUMENTS` of a manual page becomes what pagoda prints for ARGUMENTS: the
# options of a command, the catalogue of patterns.
man-sources := $(wildcard man/*.[157])
built-pages := $(patsubst man/%,$(BUILD)/man/%,$(shell grep -l GENERATED: $(man-sources)))
pages = $(built-pages) $(filter-out $(built-pages:$(BUILD)/%=%),$(man-sources))
all: $(if $(main-object),$(built-pages))
$(built-pages): $(BUILD)/man/%: man/% $(BUILD)/pagoda $(wildcard patterns/*.xml)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk -v pagoda='$(BUILD)/pagoda ' 'sub(/^\.\\" GENERATED: /, "") { command = pagoda $$0; \
	    while ((command | getline) > 0) print; if (close(command) != 0) exit 1; next } { print }' $< >$@

$(patterns-link):
	@mkdir -p $(@D)
	$(Q)ln -sfn $(CURDIR)/patterns $@

## ---- the tracer ------------------------------------------------------------------------------

# tracer.mk adds its library to `all` and lists what is installed beside it in TRACER_INSTALL.
-include tracer/tracer.mk

## ---- processes of a launcher --------------------------------------------------------------------

# What the command loads when a launcher of that MPI started it.
spread-modules := $(TRACER_MPIS:%=$(BUILD)/libpagoda-mpi-%.so)
all: $(spread-modules)
$(spread-modules): $(BUILD)/libpagoda-mpi-%.so: $(spread-source) analyzer/spread/module.h $(BUILD)/flags
	$(call say,MPICC,$@)
	$(Q)$(TRACER_WRAPPED) $(TRACER_MPICC_$*) $(TRACER_CFLAGS) $(TRACER_LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $< \
	    $(TRACER_LIBRARY_$*)

## ---- tests: unit tests, tools, example programs, benchmarks ------------------------------------

# One program of all files of tests/unit.
unit-tests := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(filter-out %/unit_test.c,$(wildcard tests/unit/*.c))))
# tests/tools/lib holds what tools, unit tests and benchmarks share (writing archives).
tool-library := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/tools/lib/*.c)))
# tests/reference computes by brute force what the engine is compared with.
reference := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/reference/*.c)))
tools := $(patsubst tests/tools/%.c,$(BUILD)/tools/%,$(sort $(wildcard tests/tools/*.c)))
# Mentioned by name: a file that only pattern rules know is deleted after its use, and not missed.
test-objects := $(patsubst %.c,$(BUILD)/obj/%.o,$(foreach folder,unit reference tools tools/lib fuzz bench,\
    $(wildcard tests/$(folder)/*.c)) tracer/record/settings.c)
.PHONY: test-objects
test-objects: $(test-objects)
benches := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(sort $(wildcard tests/bench/*.c)))
# One program of all files of tests/fuzz, and of the tracer what reads settings and records.
fuzz-readers := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(filter-out %/fuzz.c,$(wildcard tests/fuzz/*.c)))) \
    $(TRACER_READERS)
program-sources := $(sort $(wildcard tests/programs/*.c))
# Looked up once: each further call of the shell would delay every make.
ifeq ($(origin MPIS),undefined)
MPIS := $(foreach mpi,openmpi mpich mpi_abi,$(if $(shell command -v mpicc.$(mpi)),$(mpi)))
endif
has-gfortran := $(shell command -v gfortran)
# The binary interface of MPI 5 is C's: no Fortran, and not every library has the conversions of handles to it.
# $(call has-fortran,MPI)
has-fortran = $(if $(filter-out mpi_abi,$(1)),$(has-gfortran))
programs = $(foreach mpi,$(MPIS),$(patsubst tests/programs/%.c,$(BUILD)/programs/$(mpi)/%,\
    $(program-sources)) $(patsubst tests/programs/%.c,$(BUILD)/programs/$(mpi)-regions/%,\
    $(program-sources)) $(BUILD)/programs/$(mpi)/every)

# $(call test-rule,FOLDER,OBJECTS,LIBRARIES): each tests/FOLDER/X.c becomes $(BUILD)/FOLDER/X.
define test-rule
$(BUILD)/$(1)/%: $(BUILD)/obj/tests/$(1)/%.o $(2) $(tool-library) $(library)
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(link) -o $$@ $$^ $$(library-libs) $$(plain-libs) $(3) $$(LDLIBS) -lm
endef
# What pagoda trace writes is compared with what the tracer reads.
$(eval $(call test-rule,unit,$(unit-tests) $(BUILD)/obj/tracer/record/settings.o $(reference),$$(cmocka-libs)))
$(foreach folder,tools bench,$(eval $(call test-rule,$(folder))))
$(eval $(call test-rule,fuzz,$(fuzz-readers),-ldw -lelf))

# The programs are built as a user would build his: no flags of ours. Each one also with its
# functions instrumented, below programs/<mpi>-regions/.
# $(call program-rules,FOLDER,MPI,FLAGS)
define program-rules
$(BUILD)/programs/$(1)/%: tests/programs/%.c
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D) $(BUILD)/obj/programs
	$$(Q)mpicc.$(2) -O2 -g -std=gnu11 -Wall -Wextra $(3) -MMD -MP -MF $(BUILD)/obj/programs/$(1)-$$*.d \
	    -I. -o $$@ $$< -lm
endef
$(foreach mpi,$(MPIS),$(eval $(call program-rules,$(mpi),$(mpi),)) \
    $(eval $(call program-rules,$(mpi)-regions,$(mpi),-finstrument-functions -rdynamic)))

# One program calls every function of mpi.h: tests/programs/every, with HAVE_<function> for each. A
# source that names COUNTED is compiled again for the functions with large counts, if there are any.
# Libraries of MPI 5's binary interface lack conversions of handles, or what is deprecated.
every-sources := $(sort $(wildcard tests/programs/every/*.c))
every-counted := $(if $(every-sources),$(shell grep -l COUNTED $(every-sources)))
# $(call every-of,SOURCES,MPI)
every-of = $(if $(filter mpi_abi,$(2)),$(filter-out %/handles.c %/attributes.c,$(1)),$(1))
# $(call every-rules,MPI)
define every-rules
$(BUILD)/obj/programs/$(1)/have.h: $(BUILD)/tracer/$(1)/names
	@mkdir -p $$(@D)
	$$(Q)sed 's/.*/#define HAVE_& 1/' $$< >$$@
$(BUILD)/obj/programs/$(1)/%.o: tests/programs/every/%.c $(BUILD)/obj/programs/$(1)/have.h
	$$(call say,MPICC,$$@)
	$$(Q)mpicc.$(1) -O1 -g -std=gnu11 -Wall -Wextra -MMD -MP -MF $$(@D)-every-$$*.d -I$$(@D) -c -o $$@ $$<
$(BUILD)/obj/programs/$(1)/%-large.o: tests/programs/every/%.c $(BUILD)/obj/programs/$(1)/have.h
	$$(call say,MPICC,$$@)
	$$(Q)mpicc.$(1) -O1 -g -std=gnu11 -Wall -Wextra -MMD -MP -MF $$(@D)-every-$$*-large.d -I$$(@D) -c -o $$@ \
	    -DLARGE_COUNTS $$$$(grep -q HAVE_MPI_Send_c $$(@D)/have.h && echo $$< || echo -xc /dev/null)
$(BUILD)/programs/$(1)/every: \
    $(patsubst tests/programs/every/%.c,$(BUILD)/obj/programs/$(1)/%.o,$(call every-of,$(every-sources),$(1))) \
    $(patsubst tests/programs/every/%.c,$(BUILD)/obj/programs/$(1)/%-large.o,$(call every-of,$(every-counted),$(1)))
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.$(1) -o $$@ $$^
endef
$(foreach mpi,$(MPIS),$(eval $(call every-rules,$(mpi))))

include tests/programs/bindings/bindings.mk
include tests/programs/hybrid/hybrid.mk

.PHONY: all programs tests
programs: $(programs)
tests: all $(BUILD)/unit/unit_test $(tools) $(BUILD)/fuzz/fuzz $(benches) $(programs)

-include $(patsubst %.o,%.d,$(objects)) $(wildcard $(BUILD)/obj/tests/*/*.d $(BUILD)/obj/tests/*/*/*.d) \
    $(wildcard $(BUILD)/obj/programs/*.d)

## ---- packages ----------------------------------------------------------------------------------

# An OTF2 built from its source is as good as the package, which older releases do not have.
own-otf2 = $(shell command -v otf2-config || { $(PKG_CONFIG) --exists otf2 && echo yes; } 2>/dev/null)
PACKAGES_BUILD = gcc make pkg-config libc6-dev $(if $(own-otf2),,libotf2-trace-dev) libxml2-dev \
    libsqlite3-dev libjansson-dev libdw-dev libmuparser-dev libgsl-dev libhwloc-dev libmetis-dev zlib1g-dev \
    libprotobuf-c-dev protobuf-c-compiler
PACKAGES_RUN = openmpi-bin libopenmpi-dev
PACKAGES_TEST = bats graphviz libcmocka-dev mpich libmpich-dev gfortran g++ libunwind8 python3-mpi4py otf2-tools valgrind \
    python3-otf2 python3-pandas python3-six sqlite3 jq libxml2-utils mandoc locales patch procps slurm-wlm munge strace zsh fish \
    iproute2
# Real programs that not every release packages; their tests are skipped without them.
PACKAGES_TEST_OPTIONAL = clang libomp-dev hpcc netpipe-openmpi chromium-headless-shell libpapi-dev
# llvm: by its symbolizer the sanitizers know leaks that are not ours (tests/leaks.supp).
PACKAGES_LINT = clang llvm libclang-rt-dev clang-format cppcheck debootstrap shellcheck mandoc libxml2-utils

# $(call install-packages,LIST,OPTIONAL): nothing when all are there, so that it works without a
# network. Of the optional ones those are installed that apt knows, and only by root. Until apt is
# done, its last line is printed every 3 s.
define install-packages
@missing_of() { for package; do \
	    dpkg-query -W -f '$${Status}\n' $$package 2>/dev/null | grep -q 'install ok installed' || \
	    printf ' %s' $$package; done; }; \
	missing=$$(missing_of $(1)); optional=$$(missing_of $(2)); \
	test -n "$$missing$$optional" || exit 0; \
	if ! command -v apt-get >/dev/null; then \
	    test -n "$$missing" || exit 0; \
	    printf '%s\n' "This is no Debian or Ubuntu: please install what these packages hold:$$missing" \
	    "(elsewhere often called: otf2, libxml2-devel, sqlite-devel, jansson-devel," \
	    "elfutils-devel, muParser-devel, openmpi-devel), then call the target you want, or \`make\`." >&2; exit 1; \
	elif test "$$(id -u)" != 0; then \
	    test -n "$$missing" || exit 0; \
	    printf '%s\n' "Packages are missing. Run this, then call make again:" \
	    "  sudo apt-get install -y --no-install-recommends$$missing$$optional" >&2; exit 1; fi; \
	log=$$(mktemp) || exit 1; begin=$$(date +%s); \
	while sleep 3 >/dev/null 2>&1; do \
	    echo "  $$(($$(date +%s) - begin)) s: $$(tail -n 1 $$log | sed 's/\r*$$//; s/.*\r//')"; done & \
	trap "kill $$!; rm -f $$log" EXIT; trap 'exit 1' HUP INT TERM; \
	export DEBIAN_FRONTEND=noninteractive; \
	test -z "$$missing" || { echo "Updating the lists of packages"; apt-get update -q >$$log; } || exit 1; \
	for package in $$optional; do \
	    ! apt-cache show $$package >/dev/null 2>&1 || missing="$$missing $$package"; done; \
	test -n "$$missing" || exit 0; \
	echo "Installing$$missing"; \
	apt-get install -y -q --no-install-recommends $$missing </dev/null >$$log || { \
	    tail -n 20 $$log; printf '%s\n' "apt-get could not install$$missing." \
	    "A release without OTF2 (before Debian 12 and Ubuntu 24.04) needs it from its source, with" \
	    "otf2-config on the PATH." >&2; exit 1; }
endef

.PHONY: deps deps-test deps-lint
deps:
	$(call install-packages,$(PACKAGES_BUILD) $(PACKAGES_RUN))
deps-test:
	$(call install-packages,$(PACKAGES_BUILD) $(PACKAGES_RUN) $(PACKAGES_TEST),$(PACKAGES_TEST_OPTIONAL))
deps-lint:
	$(call install-packages,$(PACKAGES_BUILD) $(PACKAGES_LINT))

## ---- demo and tests ----------------------------------------------------------------------------

.PHONY: demo check check-run sanitize bench binding-counts
demo: deps
	@+$(MAKE) --no-print-directory $(parallel) all $(BUILD)/programs/openmpi-regions/masterworker
	@BUILD=$(BUILD) tests/demo

# make check T='tests/cli/x.bats tests/unit/test_y.c' runs only these.
check: deps-test
	@+$(MAKE) --no-print-directory $(parallel) tests
	@+$(MAKE) --no-print-directory check-run

SUITES ?= unit cli mpi
check-run:
	@BUILD=$(BUILD) tests/run $(if $(SKIP_FAILS),--skip-fails) $(or $(T),$(SUITES:%=tests/%))

# How many calls of each MPI function are recorded through each binding.
binding-counts: programs
	@BUILD=$(BUILD) tests/binding-counts

# Counts of the archives below DIR, by Pagoda and by otf2-print.
.PHONY: check-archives
check-archives: all $(BUILD)/tools/count_events
	@BUILD=$(BUILD) tests/check-archives "$(DIR)"

# The pages of the archives below DIR, used by a browser; pictures of them in $(BUILD)/pages.
.PHONY: check-pages
check-pages: all
	@BUILD=$(abspath $(BUILD)) tests/check-pages "$(DIR)" $(ARGS)

# SimGrid's replay of the archives below DIR, by its time and by Pagoda's.
.PHONY: check-simgrid
check-simgrid: all
	@BUILD=$(BUILD) tests/check-simgrid "$(DIR)"

# Address and undefined behaviour: the unit and the command-line tests in a build of their own, but for files
# with a line `# Unsanitized: REASON`. Most of the time is spent in starting programs, which is shorter the
# less there is to relocate, and the sooner freed memory is used again: a page that is touched first costs most.
# Libraries linked into the program start sooner, which is clang's way by itself. NULL + 0, which clang
# reports, is defined from C2y on. gcc's macro says in the tests that sanitizers are there.
sanitize-flags = -fsanitize=address,undefined -fno-sanitize-recover=all $(if $(shell $(CC) --version | grep -i clang),\
    -fno-sanitize=pointer-overflow -D__SANITIZE_ADDRESS__,-static-libasan -static-libubsan)
sanitized-tests = tests/unit $(filter-out $(shell grep -l '^\# Unsanitized: ' tests/cli/*.bats),$(wildcard tests/cli/*.bats))
sanitize:
	@+$(MAKE) --no-print-directory $(parallel) BUILD=$(BUILD)/sanitize MPIS= \
	    CFLAGS='-O1 -g1 -fno-omit-frame-pointer -fno-pie $(sanitize-flags)' \
	    LDFLAGS='$(sanitize-flags) -no-pie tests/sanitized.c' tests test-objects
	@ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64 \
	    UBSAN_OPTIONS=print_stacktrace=1 \
	    LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.supp:print_suppressions=0 \
	    BUILD=$(BUILD)/sanitize tests/run $(if $(SKIP_FAILS),--skip-fails) \
	    $(or $(T),$(sanitized-tests))

# The MPI tests likewise, with what runs inside of the traced programs ended by undefined behaviour; MPI libraries
# leak. Not a step of .ci/run, whose time it would double.
.PHONY: sanitize-mpi
sanitize-mpi:
	@+$(MAKE) --no-print-directory $(parallel) BUILD=$(BUILD)/sanitize-mpi \
	    CFLAGS='-O1 -g1 -fno-omit-frame-pointer -fno-pie $(sanitize-flags)' \
	    LDFLAGS='$(sanitize-flags) -no-pie tests/sanitized.c' all tests
	@ASAN_OPTIONS=abort_on_error=1:detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	    BUILD=$(BUILD)/sanitize-mpi tests/run $(if $(SKIP_FAILS),--skip-fails) \
	    $(or $(T),$(filter-out $(shell grep -l '^\# Unsanitized: ' tests/mpi/*.bats),$(wildcard tests/mpi/*.bats)))

# Data races: the same tests in a build with the thread sanitizer. Not a step of .ci/run, whose time it would double.
.PHONY: races
races:
	@+$(MAKE) --no-print-directory $(parallel) BUILD=$(BUILD)/races MPIS= LDFLAGS=-fsanitize=thread \
	    CFLAGS='-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread -D__SANITIZE_ADDRESS__' tests test-objects
	@TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1 BUILD=$(BUILD)/races tests/run $(if $(SKIP_FAILS),--skip-fails) $(or $(T),$(sanitized-tests))

# libFuzzer on all that Pagoda reads from users and other tools, each KIND of input for SECONDS.
.PHONY: fuzz
fuzz: all $(BUILD)/fuzz/fuzz
	@+$(MAKE) --no-print-directory $(parallel) BUILD=$(BUILD)/libfuzzer CC=clang MPIS= \
	    CFLAGS='-O1 -g1 -DLIBFUZZER -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	    -fno-sanitize=pointer-overflow' LDFLAGS='-fsanitize=fuzzer,address,undefined' $(BUILD)/libfuzzer/fuzz/fuzz
	@BUILD=$(BUILD) tests/fuzz/long $(or $(SECONDS),60) $(KIND)

# One table, about four minutes on two idle cores; tests/bench/bench says how to choose rows, archives and sizes.
bench: all $(benches) $(patsubst %,$(BUILD)/programs/openmpi/%,is mg sweep trace_calls)
	@BUILD=$(BUILD) tests/bench/bench

# Predictions against real runs, on a quiet machine; QUICK=1 a few of them, T='NAME...' those named.
accuracy-windows = $(MPIS:%=$(BUILD)/accuracy/window-%.so)
accuracy-programs = coast ep irk is joinserver masterworker mg pingpong spa sweep tsp
.PHONY: accuracy
accuracy: all $(accuracy-windows) $(BUILD)/accuracy/speed $(foreach mpi,$(MPIS),$(foreach kind,$(mpi) $(mpi)-regions,\
    $(accuracy-programs:%=$(BUILD)/programs/$(kind)/%)))
	@BUILD=$(BUILD) tests/accuracy/study $(T)
tests: $(accuracy-windows) $(BUILD)/accuracy/speed
$(BUILD)/accuracy/speed: tests/accuracy/speed.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -Wall -Wextra -std=gnu11 -o $@ $<
$(BUILD)/accuracy/window-%.so: tests/accuracy/window.c
	$(call say,MPICC,$@)
	@mkdir -p $(@D)
	$(Q)mpicc.$* -O2 -Wall -Wextra -std=gnu11 -shared -fPIC -o $@ $<

# What the diagnosis says of programs with one known cause of lost time each, on a quiet machine.
cause-sources = $(wildcard tests/causes/*.c tests/causes/*.cc tests/causes/*.py \
    $(if $(has-gfortran),tests/causes/*.f90))
cause-programs = $(foreach kind,plain regions,$(addprefix $(BUILD)/causes/$(kind)/,$(basename $(notdir $(cause-sources)))))
.PHONY: causes
causes: all $(cause-programs) $(BUILD)/accuracy/window-openmpi.so
	@BUILD=$(BUILD) tests/causes/study $(T)
tests: $(if $(MPIS),$(cause-programs))
# $(call cause-rules,FOLDER,FLAGS)
define cause-rules
$(BUILD)/causes/$(1)/%: tests/causes/%.c tests/causes/cause.h tests/programs/program.h
	$$(call say,MPICC,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.openmpi -std=gnu11 $(2) $$(shell grep -q 'pragma omp' $$< && echo -fopenmp) -o $$@ $$< -lm -pthread
$(BUILD)/causes/$(1)/%: tests/causes/%.cc
	$$(call say,MPICXX,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicxx.openmpi -std=c++17 $(2) -o $$@ $$<
$(BUILD)/causes/$(1)/%: tests/causes/%.f90
	$$(call say,MPIFORT,$$@)
	@mkdir -p $$@.modules
	$$(Q)mpif90.openmpi $(2) -J $$@.modules -o $$@ $$<
$(BUILD)/causes/$(1)/%: tests/causes/%.py
	@mkdir -p $$(@D)
	$$(Q)install $$< $$@
endef
cause-flags = -O2 -g -Wall -Wextra -I. -DOMPI_SKIP_MPICXX
$(eval $(call cause-rules,plain,$(cause-flags)))
$(eval $(call cause-rules,regions,$(cause-flags) -finstrument-functions -rdynamic \
    -finstrument-functions-exclude-file-list=/usr/))

## ---- style -------------------------------------------------------------------------------------

c-files = $(wildcard $(addsuffix /*.[ch],analyzer analyzer/* analyzer/*/* db db/* tracer tracer/* tracer/*/* tests/* tests/*/*))

.PHONY: format lint layers
format:
	$(CLANG_FORMAT) -i $(c-files)
lint: $(built-pages)
	@CLANG_FORMAT='$(CLANG_FORMAT)' PAGES='$(pages)' tests/lint
# One of the MPIs serves to compile the tracer's headers.
layers-mpi = $(firstword $(TRACER_MPIS))
layers: $(layers-mpi:%=$(BUILD)/tracer/%/functions.gen.h)
	@$(need-libraries)CC='$(CC)' CPPFLAGS="$(own-cppflags) $(library-cflags) $(CPPFLAGS)" \
	    TRACER_CC='$(if $(layers-mpi),$(TRACER_MPICC_$(layers-mpi)) -I$(BUILD)/tracer/$(layers-mpi))' \
	    tests/layers

## ---- install, dist, clean ------------------------------------------------------------------------

# What is installed: pairs FILE:FOLDER, whose first part is the name of a variable.
installed = $(if $(main-object),$(BUILD)/pagoda:bindir) \
    $(foreach file,$(TRACER_INSTALL) $(spread-modules),$(file):libdir/pagoda) \
    $(foreach file,$(filter-out %/findings %/tuning %/properties %/machines %/experiments %/policies %/sweeps %/models,$(wildcard patterns/*)),\
    $(file):datadir/pagoda/patterns) \
    $(foreach folder,findings tuning properties machines experiments policies sweeps models,$(foreach file,$(wildcard patterns/$(folder)/*),\
    $(file):datadir/pagoda/patterns/$(folder))) \
    tracer/pagoda.h:includedir $(BUILD)/pagoda.pc:libdir/pkgconfig \
    $(BUILD)/modulefile/$(VERSION):datadir/modulefiles/pagoda \
    $(foreach n,1 5 7,$(foreach file,$(filter %.$(n),$(pages)),$(file):mandir/man$(n))) \
    completion/bash/pagoda:datadir/bash-completion/completions \
    completion/zsh/_pagoda:datadir/zsh/site-functions \
    completion/fish/pagoda.fish:datadir/fish/vendor_completions.d
# For the shell: the variables, and whole_path, which sets $file and $folder from a pair.
folders-of-pairs = bindir='$(bindir)' libdir='$(libdir)' datadir='$(datadir)' includedir='$(includedir)' \
    mandir='$(mandir)'; \
    whole_path() { file=$${1%%:*}; folder=$${1\#*:}; top=$${folder%%/*}; \
	eval "folder=\$$$$top\$${folder\#\$$top}"; }
# Folders that did not exist before the installation, so that uninstall removes no others.
made-folders = '$(DESTDIR)$(datadir)/pagoda/made-folders'

# Files that name the folders of the installation.
placed-files = $(BUILD)/pagoda.pc $(BUILD)/modulefile/$(VERSION)
$(BUILD)/pagoda.pc: packaging/pagoda.pc.in
$(BUILD)/modulefile/$(VERSION): packaging/modulefile.in
$(placed-files): force
	@mkdir -p $(@D)
	$(Q)sed -e 's|@VERSION@|$(VERSION)|' $(foreach name,bindir libdir datadir includedir mandir,\
	    -e 's|@$(name)@|$($(name))|') $(filter %.in,$^) >$@

.PHONY: install uninstall dist deb clean help
install: all $(placed-files)
	$(Q)set -e; $(folders-of-pairs); made=; $(INSTALL) -d '$(DESTDIR)/'; \
	    make_folder() { test -d '$(DESTDIR)'"$$1" || { make_folder "$$(dirname "$$1")"; \
	    $(INSTALL) -d '$(DESTDIR)'"$$1"; made=$$(printf '%s\n%s' "$$1" "$$made"); }; }; \
	    for pair in $(installed); do whole_path "$$pair"; \
	    make_folder "$$folder"; mode=644; test -x "$$file" && mode=755; \
	    $(INSTALL) -m $$mode "$$file" '$(DESTDIR)'"$$folder/"; done; \
	    test -z "$$made" || { old=$$(cat $(made-folders) 2>/dev/null || true); \
	    printf '%s\n%s\n' "$$made" "$$old" >$(made-folders); }
	@echo "installed below $(DESTDIR)$(prefix)"

uninstall:
	$(Q)$(folders-of-pairs); for pair in $(installed); do whole_path "$$pair"; \
	    rm -f '$(DESTDIR)'"$$folder/$${file##*/}"; done
	$(Q)made=$$(cat $(made-folders) 2>/dev/null); rm -f $(made-folders); \
	    printf '%s\n' "$$made" | while IFS= read -r folder; do \
	    test -z "$$folder" || rmdir '$(DESTDIR)'"$$folder" 2>/dev/null; done; true

dist-name = pagoda-$(VERSION)
dist:
	@git rev-parse --git-dir >/dev/null 2>&1 || \
	    { echo "make dist packs the files git knows: call it in a git clone" >&2; exit 1; }
	@mkdir -p $(BUILD)
	$(Q)git ls-files -z | tar --null -T - --transform 's,^,$(dist-name)/,' --sort=name \
	    --owner=0 --group=0 --numeric-owner -czf $(BUILD)/$(dist-name).tar.gz
	@echo $(BUILD)/$(dist-name).tar.gz

# A package for this Debian or Ubuntu, from the files git knows.
deb: dist
	$(Q)rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb && tar -xzf $(BUILD)/$(dist-name).tar.gz -C $(BUILD)/deb && \
	    cd $(BUILD)/deb/$(dist-name) && mv packaging/debian . && env -u MAKEFLAGS dpkg-buildpackage -us -uc -b -j$(N_CORES)
	@echo $(BUILD)/deb/pagoda_*.deb

clean:
	rm -rf $(BUILD)

help:
	@echo 'make            build $(BUILD)/pagoda and the tracer'
	@echo 'make demo       install what is missing, trace an MPI program, replay the trace'
	@echo 'make check      install what the tests need, run all; T=FILE runs one of tests/'
	@echo 'make install    PREFIX=/usr/local DESTDIR=; uninstall takes it away again'
	@echo 'make deps       install (or name) the packages to build and run; deps-test, deps-lint'
	@echo 'make sanitize   unit and command-line tests with address and undefined sanitizers'
	@echo 'make sanitize-mpi  MPI tests likewise'
	@echo 'make races      unit and command-line tests with the thread sanitizer'
	@echo 'make fuzz       looks for inputs that break readers; SECONDS=60 for each kind, KIND="machine formula"'
	@echo 'make lint       format, static checks, shell scripts, manual pages; format repairs'
	@echo 'make layers     who may include whom'
	@echo 'make bench      speed and memory of replays, predictions, store and tracer'
	@echo 'make causes     the diagnosis of programs with one known cause each, on a quiet machine'
	@echo 'make accuracy   predictions against real runs, on a quiet machine; QUICK=1 CALIBRATE=1'
	@echo 'make check-archives DIR=...  counts of the archives there, by Pagoda and by otf2-print'
	@echo 'make check-pages DIR=...     the pages of the archives there, in a browser; ARGS=--scale...'
	@echo 'make check-simgrid DIR=...   the archives there, replayed by SimGrid'
	@echo 'make binding-counts  MPI calls recorded from C, C++, Fortran and shared libraries'
	@echo 'make dist       $(dist-name).tar.gz;  make deb  a Debian package;  make clean  removes $(BUILD)/'
	@echo 'variables: CC CFLAGS CPPFLAGS LDFLAGS WERROR=1 V=1 BUILD=DIR MPIS="openmpi mpich" MPI_ABI=DIR'
