/**
 * reaper-plan: how the reaper, a small process that ends our children when this process is gone, runs on each platform.
 * The plan is data, so that Windows can be tested anywhere.
 *
 * The reaper waits at a pipe that only this process holds. The pipe ends when this process closes it, crashes or is
 * killed. Then the reaper ends everything that is still on its list.
 */
import type { Platform } from '../world.ts'
import { inSystem32 } from './windows-command.ts'

export interface ReaperPlan {
  readonly command: string
  readonly args: readonly string[]
  /** In a session of its own: Ctrl-C in the terminal must not end it before us. */
  readonly isDetached: boolean
  /** Absent: the whole environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** The first text in the pipe. */
  readonly opening: string
  /**
   * Where the lines go. `file`: the reaper reads them from descriptor 3 when this process is gone. It sleeps until
   * then, because waking up for a line takes longer than writing one, while all servers start. Without a file, the
   * lines go through the pipe.
   */
  readonly list: 'file' | 'pipe'
  /** Lines about the child with this id. */
  readonly lines: {
    watch(id: number): string
    /** Like `watch`, for a child that may install something: it gets more time. `asked` or `installed` follows. */
    install(id: number): string
    /** The child was asked to end, and is ending. */
    asked(id: number): string
    installed(id: number): string
    /** The child is gone. What it left behind may stay. */
    forget(id: number): string
    /** The child is gone. The reaper ends what it left behind, where this process has not done so. */
    end(id: number): string
  }
}

/** `owner` is this process: only its own children are ever ended. */
export function reaperPlan(platform: Platform, owner: number): ReaperPlan {
  return platform === 'win32' ? planForWindows(owner) : UNIX
}

/**
 * Children lead groups, and the ids are those of groups. There are three lists:
 * `quick`: asked to end, and killed a second later.
 * `slow`: may be installing, and must undo that first: npm would leave its lock behind, and wait a minute for it the
 * next time. They have ten seconds, are asked again, which npm obeys at once, and are killed a second later.
 * `told`: this process has already asked them to end.
 *
 * The script also runs in `dash`: `kill -9 -123`, without `--`. Without programs to wait with, it kills everything at
 * once.
 */
const SHELL_SCRIPT = `
PATH=/bin:/usr/bin
quick=' ' slow=' ' told=' '
without() {
  case $1 in
    *" $2 "*) kept="\${1%% $2 *} \${1#* $2 }" ;;
    *) kept=$1 ;;
  esac
}
take() {
  while read -r sign id; do
    without "$quick" "$id"; quick=$kept
    without "$slow" "$id"; slow=$kept
    without "$told" "$id"; told=$kept
    case $sign in
      +) quick="$quick$id " ;;
      '*') slow="$slow$id " ;;
      '~') told="$told$id " ;;
    esac
  done
}
ask() { for id in $1; do kill -15 -"$id"; done; }
end() { for id in $1; do kill -9 -"$id"; done; }
left() {
  alive=' '
  for id in $1; do
    if kill -0 -"$id"; then alive="$alive$id "; fi
  done
}
take
take <&3
[ "$quick$slow$told" = '   ' ] && exit
ask "$quick"
ask "$slow"
slow="$slow$told"
tenths=0
while :; do
  left "$quick"; quick=$alive
  left "$slow"; slow=$alive
  [ "$quick$slow" = '  ' ] && exit
  if [ $tenths -ge 10 ]; then end "$quick"; quick=' '; fi
  if [ $tenths -eq 100 ]; then ask "$slow"; fi
  if [ $tenths -ge 110 ]; then end "$slow"; exit; fi
  sleep 0.1 || sleep 1 || tenths=110
  tenths=$((tenths + 1))
done
`

const UNIX: ReaperPlan = {
  command: '/bin/sh',
  args: ['-c', SHELL_SCRIPT],
  isDetached: true,
  // Its program is not ours, and it would outlive us with the secrets in our environment.
  env: {},
  opening: '',
  list: 'file',
  lines: {
    watch: (id) => `+ ${id}\n`,
    install: (id) => `* ${id}\n`,
    asked: (id) => `~ ${id}\n`,
    installed: (id) => `+ ${id}\n`,
    forget: (id) => `- ${id}\n`,
    end: (id) => `- ${id}\n`,
  },
}

/**
 * Puts each child into a job that kills its processes when its last handle is closed. Windows closes the handles of a
 * process that ends, however it ends. Children of a process in a job are born into the job. Processes that a child
 * started earlier are found by the number of their parent. Windows reuses numbers, so a descendant must be younger than
 * its parent, and the first must be a child of ours. Each process gets its own job: a process that is in a job already,
 * as in most terminals, can only be put into an empty one.
 *
 * 9 is JobObjectExtendedLimitInformation, 0x2000 JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, 0x0101 PROCESS_SET_QUOTA and
 * PROCESS_TERMINATE. The compiler of Windows PowerShell supports C# 5. It treats a warning (of fields that are never
 * set) as an error unless it is configured not to.
 */
const POWERSHELL_SCRIPT = `
Add-Type -IgnoreWarnings -TypeDefinition @'
using System;
using System.Runtime.InteropServices;

public static class PlugboardJob {
  [StructLayout(LayoutKind.Sequential)]
  struct BasicLimits {
    public long PerProcessUserTimeLimit;
    public long PerJobUserTimeLimit;
    public uint LimitFlags;
    public UIntPtr MinimumWorkingSetSize;
    public UIntPtr MaximumWorkingSetSize;
    public uint ActiveProcessLimit;
    public UIntPtr Affinity;
    public uint PriorityClass;
    public uint SchedulingClass;
  }

  [StructLayout(LayoutKind.Sequential)]
  struct IoCounters {
    public ulong ReadOperationCount;
    public ulong WriteOperationCount;
    public ulong OtherOperationCount;
    public ulong ReadTransferCount;
    public ulong WriteTransferCount;
    public ulong OtherTransferCount;
  }

  [StructLayout(LayoutKind.Sequential)]
  struct ExtendedLimits {
    public BasicLimits Basic;
    public IoCounters Io;
    public UIntPtr ProcessMemoryLimit;
    public UIntPtr JobMemoryLimit;
    public UIntPtr PeakProcessMemoryUsed;
    public UIntPtr PeakJobMemoryUsed;
  }

  [DllImport("kernel32.dll")]
  static extern IntPtr CreateJobObjectW(IntPtr security, IntPtr name);
  [DllImport("kernel32.dll")]
  static extern bool SetInformationJobObject(IntPtr job, int kind, ref ExtendedLimits limits, int size);
  [DllImport("kernel32.dll")]
  static extern bool AssignProcessToJobObject(IntPtr job, IntPtr process);
  [DllImport("kernel32.dll")]
  static extern IntPtr OpenProcess(uint access, bool isInherited, uint id);
  [DllImport("kernel32.dll")]
  static extern bool CloseHandle(IntPtr handle);

  static bool Limit(IntPtr job, uint flags) {
    ExtendedLimits limits = new ExtendedLimits();
    limits.Basic.LimitFlags = flags;
    return SetInformationJobObject(job, 9, ref limits, Marshal.SizeOf(typeof(ExtendedLimits)));
  }

  // Zero when the process is gone, or not ours to end.
  public static IntPtr Hold(uint id) {
    IntPtr process = OpenProcess(0x0101, false, id);
    if (process == IntPtr.Zero) return IntPtr.Zero;
    IntPtr job = CreateJobObjectW(IntPtr.Zero, IntPtr.Zero);
    bool isHeld = Limit(job, 0x2000) && AssignProcessToJobObject(job, process);
    CloseHandle(process);
    if (isHeld) return job;
    CloseHandle(job);
    return IntPtr.Zero;
  }

  public static void Release(IntPtr job) {
    Limit(job, 0);
    CloseHandle(job);
  }

  public static void Kill(IntPtr job) {
    CloseHandle(job);
  }
}
'@
$global:held = @{}
function Find-Tree([uint32] $id) {
  $all = @(Get-CimInstance Win32_Process -Property ProcessId, ParentProcessId, CreationDate)
  $tree = @($all | Where-Object { $_.ProcessId -eq $id -and $_.ParentProcessId -eq $global:owner })
  for ($i = 0; $i -lt $tree.Count; $i++) {
    $parent = $tree[$i]
    $tree += @($all | Where-Object { $_.ParentProcessId -eq $parent.ProcessId -and $_.CreationDate -gt $parent.CreationDate })
  }
  $tree | ForEach-Object { $_.ProcessId }
}
function Watch-Tree([uint32] $id) {
  $jobs = @{}
  $global:held[$id] = $jobs
  do {
    $new = @(Find-Tree $id | Where-Object { -not $jobs.ContainsKey($_) })
    foreach ($one in $new) { $jobs[$one] = [PlugboardJob]::Hold($one) }
  } while ($new.Count -gt 0)
}
function Find-Jobs([uint32] $id) {
  if (-not $global:held.ContainsKey($id)) { return }
  $global:held[$id].Values | Where-Object { $_ -ne [IntPtr]::Zero }
  $global:held.Remove($id)
}
function Release-Tree([uint32] $id) { foreach ($job in @(Find-Jobs $id)) { [PlugboardJob]::Release($job) } }
function Kill-Tree([uint32] $id) { foreach ($job in @(Find-Jobs $id)) { [PlugboardJob]::Kill($job) } }
`

/**
 * PowerShell reads its commands from the pipe, one per line, and exits when the pipe ends. So the script is joined into
 * one line. It is not detached: PowerShell needs a console, and a hidden console gets no Ctrl-C of ours. Node ends it
 * together with this process, and that is its only purpose.
 */
function planForWindows(owner: number): ReaperPlan {
  const script = `$global:owner = ${owner}\n${POWERSHELL_SCRIPT}`
  const encoded = Buffer.from(script).toString('base64')
  return {
    command: inSystem32('WindowsPowerShell\\v1.0\\powershell.exe'),
    args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', '-'],
    isDetached: false,
    list: 'pipe',
    opening: `Invoke-Expression ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${encoded}')))\n`,
    lines: {
      watch: (id) => `Watch-Tree ${id}\n`,
      // Programs without a window cannot be asked to end.
      install: (id) => `Watch-Tree ${id}\n`,
      asked: () => '',
      installed: () => '',
      forget: (id) => `Release-Tree ${id}\n`,
      end: (id) => `Kill-Tree ${id}\n`,
    },
  }
}
