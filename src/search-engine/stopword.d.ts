/** The lists of the package, by ISO 639-3 code. The package has no types. */
export const dan: string[];
export const deu: string[];
export const eng: string[];
export const fin: string[];
export const fra: string[];
export const hun: string[];
export const ita: string[];
export const nld: string[];
export const nob: string[];
export const por: string[];
export const ron: string[];
export const rus: string[];
export const spa: string[];
export const swe: string[];
export const tur: string[];
