export { DirectoryHistory } from './directory-history.ts'
export { directoryStores } from './directory-stores.ts'
export { namespaceOf } from './namespace-of.ts'
