import { join } from 'node:path'
import { userConfigFolder } from '../config/user-folder.ts'
import type { SkillPlaces } from '../memory/skills.ts'
import type { AgentEquipment } from './agent-setup.ts'

/** Where an agent's instructions and skills are looked for. */
export function memoryPlaces({ cwd, home, env, config: { skills = [] } }: AgentEquipment): SkillPlaces {
  return { cwd, home, skills, configFolder: userConfigFolder(env) ?? join(home, '.config', 'palimpsest') }
}
