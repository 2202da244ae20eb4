# A thin front of CMake; CMakePresets.json has the builds, docs/architecture.md the house.
#   make            build/bin/meniscus and the library
#   make demo       a dam break: runs it, leaves demo/dam_break.mp4 and pictures
#   make test       everything that continuous integration checks
#   make bench      measured work, as a table
#   make validate   longer comparisons with experiments; writes validation/report.md
#   make format     clang-format on all C files
#   make install    to PREFIX (/usr/local)
#   make deb        a Debian package of it, in build/
#   make clean      removes all that was built; the demo and the validation report stay
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export JOBS
MAKEFLAGS += --no-print-directory

all: setup
	@tools/configure release
	@cmake --build --preset release --parallel $(JOBS) --target product

setup:
	@tools/setup

demo: all
	@tools/demo

test: setup
	@tools/test

bench: all
	@build/bin/meniscus bench

validate: all
	@tools/validate

format: setup
	@tools/format

install: all
	@cmake --install build --prefix $(PREFIX)

deb: all
	@cd build && cpack -G DEB

clean:
	rm -rf build build-debug build-asan build-tsan build-scalar build-fuzz

.PHONY: all setup demo test bench validate format install deb clean
