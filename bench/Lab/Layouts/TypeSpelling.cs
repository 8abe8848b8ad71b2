namespace Raceway.Lab.Layouts;

/// <summary>A type as it was spelled, in the way of C# or of reflection, before it is looked up.</summary>
/// <param name="Name">Namespace, enclosing types and name, with dots between, without arguments and arity.</param>
/// <param name="Arguments">What is given for its type parameters, those of enclosing types first.</param>
/// <param name="Arity">How many parameters it is said to have (<c>List`1</c>, <c>List&lt;&gt;</c>), arguments or not.</param>
/// <param name="Suffix"><c>?</c>, <c>[]</c>, <c>[,]</c> and <c>*</c>, in order.</param>
internal sealed record TypeSpelling(string Name, IReadOnlyList<TypeSpelling> Arguments, int Arity, IReadOnlyList<string> Suffix)
{
    /// <summary>Reads a spelling such as <c>Dictionary&lt;string, long&gt;</c> or <c>List`1[System.Int32]</c>.</summary>
    /// <returns>Null where it is none.</returns>
    public static TypeSpelling? Read(string text)
    {
        var reader = new Reader(text);
        return reader.TryType(out TypeSpelling? found) && reader.IsAtEnd ? found : null;
    }

    private sealed class Reader(string text)
    {
        private int _at;

        public bool IsAtEnd
        {
            get
            {
                SkipBlanks();
                return _at == text.Length;
            }
        }

        public bool TryType([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out TypeSpelling? found)
        {
            found = null;
            var names = new List<string>();
            var arguments = new List<TypeSpelling>();
            int arity = 0;
            do
            {
                if (!TryName(out string name)) return false;
                names.Add(name);
                if (TryTake('`') && !TryNumber(ref arity)) return false;
                if (TryTake('<') && !TryList('>', arguments, ref arity)) return false;
            }
            while (TryTake('.') || TryTake('+'));

            // Reflection's arguments stand behind the whole name; an empty pair of brackets is an array's.
            if (arity > arguments.Count && Peek() == '[' && PeekNext() is not (']' or ','))
            {
                TryTake('[');
                int ignored = 0;
                if (!TryList(']', arguments, ref ignored)) return false;
            }

            if (!TrySuffix(out List<string> suffix)) return false;
            found = new TypeSpelling(string.Join('.', names), arguments, Math.Max(arity, arguments.Count), suffix);
            return true;
        }

        // `<>` and `<,>` name an open type.
        private bool TryList(char end, List<TypeSpelling> into, ref int arity)
        {
            if (Peek() is ',' or '>')
            {
                do arity++;
                while (TryTake(','));
                return TryTake(end);
            }

            do
            {
                bool qualified = TryTake('[');
                if (!TryType(out TypeSpelling? argument)) return false;
                into.Add(argument);
                if (qualified && !TrySkipAssembly()) return false;
            }
            while (TryTake(','));
            return TryTake(end);
        }

        // [System.String, System.Private.CoreLib, Version=…]: where it comes from is found out anyway.
        private bool TrySkipAssembly()
        {
            int end = text.IndexOf(']', _at);
            if (end < 0) return false;
            _at = end + 1;
            return true;
        }

        private bool TrySuffix(out List<string> suffix)
        {
            suffix = [];
            while (true)
            {
                if (TryTake('?')) suffix.Add("?");
                else if (TryTake('*')) suffix.Add("*");
                else if (TryTake('['))
                {
                    int commas = 0;
                    while (TryTake(',')) commas++;
                    if (!TryTake(']')) return false;
                    suffix.Add($"[{new string(',', commas)}]");
                }
                else return true;
            }
        }

        private bool TryName(out string name)
        {
            SkipBlanks();
            int start = _at;
            while (_at < text.Length && (char.IsLetterOrDigit(text[_at]) || text[_at] == '_')) _at++;
            name = text[start.._at];
            return name.Length > 0;
        }

        private bool TryNumber(ref int sum)
        {
            int start = _at;
            while (_at < text.Length && char.IsAsciiDigit(text[_at])) _at++;
            if (!int.TryParse(text.AsSpan(start, _at - start), out int number)) return false;
            sum += number;
            return true;
        }

        private char Peek()
        {
            SkipBlanks();
            return _at < text.Length ? text[_at] : '\0';
        }

        private char PeekNext() => _at + 1 < text.Length ? text[_at + 1] : '\0';

        private bool TryTake(char c)
        {
            if (Peek() != c) return false;
            _at++;
            return true;
        }

        private void SkipBlanks()
        {
            while (_at < text.Length && text[_at] == ' ') _at++;
        }
    }
}
