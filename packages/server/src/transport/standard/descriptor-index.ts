import { type AnyDesc, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** What reflection answers from: services, files by name, files by every symbol they declare. */
export class DescriptorIndex {
  readonly services: readonly string[];
  readonly #files = new Map<string, DescFile>();
  readonly #symbols = new Map<string, DescFile>();
  readonly #bytes = new Map<string, Uint8Array>();

  constructor(services: readonly DescService[]) {
    this.services = services.map((service) => service.typeName).sort();
    for (const service of services) this.#addFile(service.file);
  }

  /** File of this name with everything it imports, itself first; undefined when it is not known. */
  fileNamed(name: string): Uint8Array[] | undefined {
    const file = this.#files.get(name) ?? this.#files.get(name.replace(/\.proto$/, ''));
    return file === undefined ? undefined : this.#withImports(file);
  }

  /** File that declares a service, method, message, enum, field or enum value. */
  fileOf(symbol: string): Uint8Array[] | undefined {
    const file = this.#symbols.get(symbol) ?? this.#symbols.get(symbol.slice(0, Math.max(0, symbol.lastIndexOf('.'))));
    return file === undefined ? undefined : this.#withImports(file);
  }

  hasType(name: string): boolean {
    return this.#symbols.has(name);
  }

  #addFile(file: DescFile): void {
    if (this.#files.has(file.name)) return;
    this.#files.set(file.name, file);
    for (const dependency of file.dependencies) this.#addFile(dependency);
    for (const desc of [...file.messages, ...file.enums, ...file.services]) this.#addSymbols(desc, file);
  }

  #addSymbols(desc: AnyDesc, file: DescFile): void {
    if (desc.kind !== 'message' && desc.kind !== 'enum' && desc.kind !== 'service') return;
    this.#symbols.set(desc.typeName, file);
    if (desc.kind === 'service')
      for (const method of desc.methods) this.#symbols.set(`${desc.typeName}.${method.name}`, file);
    if (desc.kind === 'message')
      for (const nested of [...desc.nestedMessages, ...desc.nestedEnums]) this.#addSymbols(nested, file);
  }

  #withImports(file: DescFile, seen = new Set<string>()): Uint8Array[] {
    if (seen.has(file.name)) return [];
    seen.add(file.name);
    const imports = file.dependencies.flatMap((dependency) => this.#withImports(dependency, seen));
    return [this.#bytesOf(file), ...imports];
  }

  #bytesOf(file: DescFile): Uint8Array {
    const known = this.#bytes.get(file.name);
    if (known !== undefined) return known;
    const bytes = toBinary(FileDescriptorProtoSchema, file.proto);
    this.#bytes.set(file.name, bytes);
    return bytes;
  }
}
