namespace Raceway.Gates.Tests.Api;

/// <summary>Types as C# writes them.</summary>
internal static class ApiNames
{
    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(char)] = "char",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(double)] = "double",
        [typeof(string)] = "string",
        [typeof(object)] = "object",
    };

    /// <summary>With its namespace, and the outer types of a nested one.</summary>
    public static string Full(Type type) => $"{type.Namespace}.{Short(type)}";

    /// <summary>Without a namespace, but with the outer types of a nested one.</summary>
    public static string Short(Type type)
    {
        if (s_keywords.TryGetValue(type, out string? keyword)) return keyword;
        if (type.IsGenericParameter) return type.Name;
        if (type.IsByRef) return $"ref {Short(type.GetElementType()!)}";
        if (type.IsArray) return $"{Short(type.GetElementType()!)}[]";
        if (type.IsPointer) return $"{Short(type.GetElementType()!)}*";
        if (Nullable.GetUnderlyingType(type) is { } value) return $"{Short(value)}?";

        // A nested type's arguments begin with those of the type around it.
        Type[] arguments = type.GetGenericArguments();
        int outer = type.DeclaringType?.GetGenericArguments().Length ?? 0;
        string own = string.Join(", ", arguments[outer..].Select(Short));
        string name = type.Name.Split('`')[0] + (own.Length == 0 ? "" : $"<{own}>");
        if (type.DeclaringType is not { } around) return name;
        Type closed = outer == 0 ? around : around.MakeGenericType(arguments[..outer]);
        return $"{Short(closed)}.{name}";
    }
}
