import { describe, expect, it } from 'vitest'
import { reaperPlan } from '../../src/world/node/reaper-plan.ts'

describe('the process that ends our children when we are gone', () => {
  it.each(['linux', 'darwin'] as const)(
    'is a shell that ends groups, in a session of its own, on %s',
    (platform) => {
      const { command, args, env, isDetached, opening, list, lines } = reaperPlan(platform, 7)
      expect({ command, flag: args[0], env, isDetached, opening, list }).toEqual({
        command: '/bin/sh',
        flag: '-c',
        env: {},
        isDetached: true,
        opening: '',
        list: 'file',
      })
      expect([lines.watch(42), lines.forget(42), lines.end(42)]).toEqual(['+ 42\n', '- 42\n', '- 42\n'])
      expect([lines.install(42), lines.asked(42), lines.installed(42)]).toEqual([
        '* 42\n',
        '~ 42\n',
        '+ 42\n',
      ])
    },
  )

  describe('on Windows', () => {
    const { command, args, isDetached, opening, list, lines } = reaperPlan('win32', 4711)

    /** What the first line says once PowerShell has unpacked it. */
    const script = Buffer.from(
      /FromBase64String\('([A-Za-z0-9+/=]+)'\)/.exec(opening)![1]!,
      'base64',
    ).toString()

    it('is a PowerShell, named in full, that takes commands from its stdin', () => {
      expect({ command, args, isDetached, list }).toEqual({
        command: 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
        args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', '-'],
        isDetached: false,
        list: 'pipe',
      })
    })

    it('is told everything in lines, one command each', () => {
      expect(opening).toMatch(/^Invoke-Expression \([^\n]+\)\n$/)
      expect([lines.watch(42), lines.forget(42), lines.end(42)]).toEqual([
        'Watch-Tree 42\n',
        'Release-Tree 42\n',
        'Kill-Tree 42\n',
      ])
      for (const name of ['Watch-Tree', 'Release-Tree', 'Kill-Tree'])
        expect(script).toContain(`function ${name}([uint32] $id) {`)
    })

    it('puts processes into jobs that kill when they are closed, and nothing keeps open but it', () => {
      expect(script).toContain('Limit(job, 0x2000) && AssignProcessToJobObject(job, process)')
      expect(script).toContain('SetInformationJobObject(job, 9, ref limits,')
      // No name, and handles that no child of its own could inherit.
      expect(script).toContain('CreateJobObjectW(IntPtr.Zero, IntPtr.Zero)')
      expect(script).toContain('OpenProcess(0x0101, false, id)')
    })

    it('touches only children of ours, and what is younger than its parent', () => {
      expect(script).toMatch(/^\$global:owner = 4711\n/)
      expect(script).toContain('$_.ProcessId -eq $id -and $_.ParentProcessId -eq $global:owner')
      expect(script).toContain('$_.CreationDate -gt $parent.CreationDate')
    })

    it('closes the jobs of the one that is forgotten or ended, and no others', () => {
      expect(script).toContain('$global:held[$id].Values')
      expect(script).toContain('$global:held.Remove($id)')
      expect(script).toMatch(/void Release\(IntPtr job\) \{\s+Limit\(job, 0\);\s+CloseHandle\(job\);/)
    })

    it('is text that PowerShell 5 reads in any code page, with every bracket closed', () => {
      expect(script).toMatch(/^[\x20-\x7e\n]*$/)
      const depth = { '(': 0, '{': 0, '[': 0 }
      const opened = { ')': '(', '}': '{', ']': '[' } as const
      for (const letter of script) {
        if (letter in depth) depth[letter as keyof typeof depth] += 1
        if (letter in opened) depth[opened[letter as keyof typeof opened]] -= 1
      }
      expect(depth).toEqual({ '(': 0, '{': 0, '[': 0 })
      // A here-string begins and ends at the edge of a line.
      expect(script.match(/^Add-Type -IgnoreWarnings -TypeDefinition @'$|^'@$/gm)).toHaveLength(2)
    })
  })
})
