/** Numbers of system calls, by the names that `process.arch` has. @see https://man7.org/linux/man-pages/man2/seccomp.2.html */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    refused: [
      ...[57, 58], // fork, vfork
      ...[41, 101, 310, 311], // socket, ptrace, process_vm_readv, process_vm_writev
      ...[272, 308, 165, 166, 155], // unshare, setns, mount, umount2, pivot_root
      ...[321, 298, 323, 304], // bpf, perf_event_open, userfaultfd, open_by_handle_at
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[425, 426, 427], // io_uring_setup, io_uring_enter, io_uring_register
      ...[29, 240, 319, 447], // shmget, mq_open, memfd_create, memfd_secret
      ...[64, 65, 66, 220], // semget, semop, semctl, semtimedop
      ...[68, 69, 70, 71], // msgget, msgsnd, msgrcv, msgctl
      ...[30, 67, 31], // shmat, shmdt, shmctl
      ...[444, 445, 446], // landlock_create_ruleset, landlock_add_rule, landlock_restrict_self
      ...[294, 300, 253], // inotify_init1, fanotify_init, inotify_init
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    refused: [
      ...[198, 117, 270, 271],
      ...[97, 268, 40, 39, 41],
      ...[280, 241, 282, 265],
      ...[217, 218, 219],
      ...[425, 426, 427],
      ...[194, 180, 279, 447],
      ...[190, 193, 191, 192],
      ...[186, 189, 188, 187],
      ...[196, 197, 195],
      ...[444, 445, 446],
      ...[26, 262],
    ],
  },
};

interface Architecture {
  /** The value of `arch` in `struct seccomp_data`. */
  readonly audit: number;
  readonly clone: number;
  readonly clone3: number;
  /** In the order of x64, without those that only x64 has. */
  readonly refused: readonly number[];
}

/** Instructions of the classic BPF, see `linux/bpf_common.h`. */
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_SET = 0x45;
const RETURN = 0x06;
/** Where the call's number, its architecture and its first argument are in `struct seccomp_data`. */
const NUMBER = 0;
const ARCH = 4;
const FIRST_ARGUMENT = 16;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const FAIL_WITH = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
const CLONE_THREAD = 0x00010000;
/** From here on, numbers are those of the x32 interface. */
const X32 = 0x40000000;

type Instruction = readonly [code: number, value: number, jumpIf?: number, jumpElse?: number];

/**
 * A seccomp filter that keeps a program to one process, with as many threads as its memory takes, and from whatever isn't
 * counted against its memory or reaches beyond its namespaces: a socket of the host's virtual machine (vsock), keys, other
 * processes' memory. Null where the machine's system calls aren't known.
 */
export function seccompFilter(arch: string): Buffer | null {
  const known = ARCHITECTURES[arch];
  if (known === undefined) return null;
  const { audit, clone, clone3, refused } = known;
  return assemble([
    [LOAD, ARCH],
    [IF_EQUAL, audit, 1, 0],
    [RETURN, KILL],
    [LOAD, NUMBER],
    [IF_AT_LEAST, X32, 0, 1],
    [RETURN, KILL],
    // The C library then uses `clone`, whose flags can be read.
    [IF_EQUAL, clone3, 0, 1],
    [RETURN, FAIL_WITH | ENOSYS],
    ...refused.flatMap((number): Instruction[] => [
      [IF_EQUAL, number, 0, 1],
      [RETURN, FAIL_WITH | EPERM],
    ]),
    [IF_EQUAL, clone, 0, 3],
    [LOAD, FIRST_ARGUMENT],
    [IF_SET, CLONE_THREAD, 1, 0],
    [RETURN, FAIL_WITH | EPERM],
    [RETURN, ALLOW],
  ]);
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const filter = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, value, jumpIf = 0, jumpElse = 0]] of instructions.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(jumpIf, index * 8 + 2);
    filter.writeUInt8(jumpElse, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  return filter;
}
