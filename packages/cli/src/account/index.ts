/**
 * account: commands about the person: signing in and out, whoami, saved profiles, API keys. Owns no file format; profiles.ts does.
 */
export { type LoginOptions, login, logout, whoami } from './account.ts';
export { type ApiKeyOptions, createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
export { deleteProfile, listProfiles, setProfile, useProfile } from './profile.ts';
