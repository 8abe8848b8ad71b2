namespace Raceway.Analysis.Layouts;

/// <summary>Types as C# spells them.</summary>
public static class TypeNames
{
    /// <summary>The types that C# has words for.</summary>
    public static IReadOnlyDictionary<string, Type> Keywords { get; } = new Dictionary<string, Type>
    {
        ["bool"] = typeof(bool), ["byte"] = typeof(byte), ["sbyte"] = typeof(sbyte), ["char"] = typeof(char),
        ["short"] = typeof(short), ["ushort"] = typeof(ushort), ["int"] = typeof(int), ["uint"] = typeof(uint),
        ["long"] = typeof(long), ["ulong"] = typeof(ulong), ["nint"] = typeof(nint), ["nuint"] = typeof(nuint),
        ["float"] = typeof(float), ["double"] = typeof(double), ["decimal"] = typeof(decimal),
        ["string"] = typeof(string), ["object"] = typeof(object), ["void"] = typeof(void),
    };

    private static readonly Dictionary<Type, string> s_words =
        Keywords.ToDictionary(static one => one.Value, static one => one.Key);

    /// <summary>The name with its namespace.</summary>
    public static string Of(Type type) => Spell(type, withNamespace: true);

    /// <summary>The name without namespaces, for a column.</summary>
    public static string ShortOf(Type type) => Spell(type, withNamespace: false);

    private static string Spell(Type type, bool withNamespace)
    {
        if (s_words.TryGetValue(type, out string? word)) return word;
        if (type.IsGenericParameter) return type.Name;
        if (type.IsArray)
        {
            // C# names the outermost array's rank first: int[,][] is a table of arrays.
            string ranks = "";
            Type element = type;
            for (; element.IsArray; element = element.GetElementType()!)
                ranks += $"[{new string(',', element.GetArrayRank() - 1)}]";
            return Spell(element, withNamespace) + ranks;
        }

        if (type.IsPointer) return Spell(type.GetElementType()!, withNamespace) + "*";
        if (type.IsByRef) return "ref " + Spell(type.GetElementType()!, withNamespace);
        if (type.IsFunctionPointer) return "delegate*";
        if (Nullable.GetUnderlyingType(type) is { } value) return Spell(value, withNamespace) + "?";

        // The arguments of a nested type begin with those of the types around it.
        Type[] arguments = type.GetGenericArguments();
        int taken = 0;
        IEnumerable<string> names = Nesting(type).Reverse().Select(part =>
        {
            int own = part.GetGenericArguments().Length;
            string[] given = [.. arguments[taken..own].Select(one => Spell(one, withNamespace))];
            taken = own;
            string name = part.Name.Split('`')[0];
            return given.Length == 0 ? name : $"{name}<{string.Join(", ", given)}>";
        });
        string spelled = string.Join('.', names);
        return withNamespace && type.Namespace is { Length: > 0 } space ? $"{space}.{spelled}" : spelled;
    }

    private static IEnumerable<Type> Nesting(Type type)
    {
        for (Type? part = type; part is not null; part = part.DeclaringType) yield return part;
    }
}
