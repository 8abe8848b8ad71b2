using System.Reflection;

namespace Raceway.Analysis.Layouts;

/// <summary>The threads that write fields: what the command line says, or an attribute <c>WrittenBy("thread")</c> on it.</summary>
/// <remarks>
/// Attributes are known by their name, in any assembly: nothing has to be referred to. Only what is written in the
/// assembly is read; no attribute is ever made. On a struct, an attribute holds for all its fields without one of their own.
/// </remarks>
public sealed class FieldWriters
{
    private const string AttributeName = "WrittenByAttribute";
    private const string BackingField = ">k__BackingField";
    private readonly Dictionary<string, string> _given;
    private readonly HashSet<string> _used = [];
    private readonly SortedSet<string> _unread = new(StringComparer.Ordinal);

    /// <param name="given">Writers by <c>name</c>, <c>outer.name</c> or <c>Type.name</c>. They go before attributes.</param>
    public FieldWriters(IEnumerable<KeyValuePair<string, string>>? given = null) => _given = new(given ?? []);

    /// <summary>Fields that were named and that no type had.</summary>
    public IEnumerable<string> Unused => _given.Keys.Where(name => !_used.Contains(name));

    /// <summary>What has attributes that cannot be read, since their own assembly is not there.</summary>
    public IReadOnlyCollection<string> Unread => _unread;

    /// <summary>The thread that writes a field; null if neither the command line nor an attribute says so.</summary>
    /// <param name="field">The field.</param>
    /// <param name="path">Its name, behind those of the fields around it.</param>
    public string? Of(FieldInfo field, string path)
    {
        string last = path[(path.LastIndexOf('.') + 1)..];
        foreach (string name in new[] { path, $"{TypeNames.ShortOf(field.DeclaringType!)}.{last}", last })
        {
            if (!_given.TryGetValue(name, out string? writer)) continue;
            _used.Add(name);
            return writer;
        }

        return Attributed(field, $"{TypeNames.ShortOf(field.DeclaringType!)}.{last}");
    }

    /// <summary>The thread that writes the fields of a type without a writer of their own.</summary>
    public string? OfType(Type type) => Attributed(type, TypeNames.ShortOf(type));

    /// <summary>Whether an attribute of a type or of its own fields names the thread that writes them.</summary>
    public bool HasAny(Type type) =>
        OfType(type) is not null
        || type.GetFields(LayoutInspector.Declared).Any(field => Attributed(field, field.Name) is not null);

    /// <summary>A field's name as it is written: of what the compiler made for a property, the property's.</summary>
    public static string NameOf(FieldInfo field) =>
        field.Name is ['<', .. var name] && name.EndsWith(BackingField, StringComparison.Ordinal)
            ? name[..^BackingField.Length]
            : field.Name;

    private string? Attributed(MemberInfo member, string name)
    {
        try
        {
            return member.GetCustomAttributesData()
                .Where(static one => one.AttributeType.Name == AttributeName)
                .Select(static one => one.ConstructorArguments is [{ Value: string thread }, ..] ? thread : null)
                .FirstOrDefault(static thread => thread is { Length: > 0 });
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException)
        {
            _unread.Add(name);
            return null;
        }
    }
}
