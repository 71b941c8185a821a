// Installs a client with npm, without its install scripts, and finds its program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The path of the client's program below `folder`; installed first where it is not there yet. */
export function installClient(client, folder) {
  const home = join(folder, client.name)
  const known = programIn(home, client.program)
  if (known !== undefined) return known
  console.log(`installing ${client.package}`)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', client.package]
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status, stderr } = spawnSync(npm, options, {
    cwd: home,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm could not install ${client.package}: ${stderr.slice(-1_000)}`)
  const program = programIn(home, client.program)
  if (program === undefined)
    throw new Error(`${client.package} has no program for ${process.platform} ${process.arch}.`)
  return program
}

function programIn(home, pattern) {
  if (!existsSync(home)) return undefined
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
  const found = files.filter((file) => pattern.test(file)).sort()
  return found[0] === undefined ? undefined : join(home, found[0])
}
