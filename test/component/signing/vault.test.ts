import { describe, test } from 'vitest'
import { startRealVault, vaultProgram } from '../../support/vault/real-vault.ts'
import { startVaultStandIn } from '../../support/vault/vault-stand-in.ts'
import { vaultContract } from './vault-contract.ts'

describe('a key in the stand-in for Vault', () => vaultContract(startVaultStandIn))

const program = await vaultProgram()

describe('a key in a real Vault', () => {
  if ('missing' in program) {
    test('behaves as in the stand-in', ({ skip }) => skip(`no real Vault: ${program.missing}`))
    return
  }
  vaultContract(() => startRealVault(program.path))
})
