// The Unicode general categories: all their names in ECMA-262, mapped to RE2's name. Data only.

/** `C`, `Cn` and `LC` are missing: RE2 has no tables of them. */
const NAMES =
  'Cc=Control=cntrl Cf=Format Co=Private_Use Cs=Surrogate L=Letter Ll=Lowercase_Letter Lm=Modifier_Letter ' +
  'Lo=Other_Letter Lt=Titlecase_Letter Lu=Uppercase_Letter M=Mark=Combining_Mark Mc=Spacing_Mark Me=Enclosing_Mark ' +
  'Mn=Nonspacing_Mark N=Number Nd=Decimal_Number=digit Nl=Letter_Number No=Other_Number P=Punctuation=punct ' +
  'Pc=Connector_Punctuation Pd=Dash_Punctuation Pe=Close_Punctuation Pf=Final_Punctuation Pi=Initial_Punctuation ' +
  'Po=Other_Punctuation Ps=Open_Punctuation S=Symbol Sc=Currency_Symbol Sk=Modifier_Symbol Sm=Math_Symbol ' +
  'So=Other_Symbol Z=Separator Zl=Line_Separator Zp=Paragraph_Separator Zs=Space_Separator';

/** Maps each name to the short one. */
export const CATEGORIES: ReadonlyMap<string, string> = new Map(
  NAMES.split(' ').flatMap((names) => {
    const all = names.split('=');
    const [short = ''] = all;
    return all.map((name) => [name, short] as const);
  }),
);
