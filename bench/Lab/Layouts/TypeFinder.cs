using Raceway.Analysis.Layouts;
using Raceway.Lab.Cli;

namespace Raceway.Lab.Layouts;

/// <summary>Finds the types that a command line names: in the assemblies given, then in the tool's and the runtime's.</summary>
internal sealed class TypeFinder(InspectedAssemblies assemblies)
{
    private const int MostNamed = 5;
    private static readonly Lazy<IReadOnlyList<IndexedType>> s_platform = new(ReadPlatform);

    /// <summary>The type.</summary>
    /// <param name="text">Its name, as C# or reflection spells it; the namespace may be left out.</param>
    /// <exception cref="ToolException">There is none, or there are several; the message says what to write.</exception>
    public Type Find(string text) =>
        Find(TypeSpelling.Read(text)
            ?? throw Wrong($"'{text}' is not the name of a type. Write one as in List<int> or Outer.Inner."));

    /// <summary>The types of the given assemblies with a name that matches; <c>*</c> is any characters.</summary>
    public IEnumerable<IndexedType> Matching(string pattern) => assemblies.Types.Where(one =>
        System.IO.Enumeration.FileSystemName.MatchesSimpleExpression(pattern, one.Name, ignoreCase: false));

    private Type Find(TypeSpelling spelling)
    {
        Type type = TypeNames.Keywords.TryGetValue(spelling.Name, out Type? word) ? word : assemblies.Load(Choose(spelling));
        if (spelling.Arguments.Count > 0) type = Close(type, [.. spelling.Arguments.Select(Find)]);
        foreach (string suffix in InOrder(spelling.Suffix))
        {
            type = suffix switch
            {
                "*" => type.MakePointerType(),
                "?" => type.IsValueType ? Close(typeof(Nullable<>), [type]) : type,
                "[]" => type.MakeArrayType(),
                _ => type.MakeArrayType(suffix.Length - 1),
            };
        }

        return type;
    }

    // C# names the outermost array's rank first: of brackets that follow each other the last is applied first.
    private static IEnumerable<string> InOrder(IReadOnlyList<string> suffix)
    {
        for (int at = 0; at < suffix.Count;)
        {
            string[] ranks = [.. suffix.Skip(at).TakeWhile(static one => one[0] == '[')];
            foreach (string rank in ranks.Reverse()) yield return rank;
            at += ranks.Length;
            if (ranks.Length == 0) yield return suffix[at++];
        }
    }

    private IndexedType Choose(TypeSpelling spelling)
    {
        foreach (IReadOnlyList<IndexedType> index in new[] { assemblies.Types, s_platform.Value })
        {
            IndexedType[] named = [.. index.Where(one => IsNamed(one, spelling.Name))];
            IndexedType[] fitting = [.. named.Where(one => one.Arity == spelling.Arity)];
            if (fitting.Length == 0 && named.Length > 0) throw WrongArity(spelling, named[0]);
            if (fitting.Length == 0) continue;

            // A full name goes before the end of another, a public type before an internal one.
            IGrouping<(bool, bool), IndexedType> best = fitting
                .GroupBy(one => (one.Name != spelling.Name, !one.IsPublic)).OrderBy(static group => group.Key).First();
            if (best.Count() == 1) return best.First();
            throw Wrong(
                $"'{spelling.Name}' may be {Listed(best.Select(static one => one.Spelled))}. Write the namespace too.");
        }

        string[] near = [.. NearMisses(spelling.Name)];
        throw Wrong(
            $"there is no type '{spelling.Name}' in "
            + (assemblies.Types.Count == 0
                ? "the runtime or Raceway; --assembly names a .dll of yours."
                : "the assemblies given, the runtime or Raceway.")
            + (near.Length == 0 ? "" : $" Did you mean {Listed(near)}?"));
    }

    private static bool IsNamed(IndexedType type, string name) =>
        type.Name.EndsWith(name, StringComparison.Ordinal)
        && (type.Name.Length == name.Length || type.Name[type.Name.Length - name.Length - 1] == '.');

    private static Type Close(Type open, Type[] arguments)
    {
        try
        {
            return open.MakeGenericType(arguments);
        }
        catch (Exception error) when (error is ArgumentException or TypeLoadException or InvalidOperationException)
        {
            throw Wrong(
                $"{TypeNames.Of(open)} cannot be made of {string.Join(", ", arguments.Select(TypeNames.Of))}: "
                + error.Message.Split('\n')[0], error);
        }
    }

    private static ToolException WrongArity(TypeSpelling spelling, IndexedType found) => Wrong(
        found.Arity == 0 ? $"{found.Name} is not generic: leave out '<…>'."
        : $"{found.Spelled} has {found.Arity} type parameter{(found.Arity == 1 ? "" : "s")}, but {spelling.Arity} "
            + $"{(spelling.Arity == 1 ? "was" : "were")} given. Name each, as in "
            + $"'{found.Name.Split('.')[^1]}<{string.Join(", ", Enumerable.Repeat("long", found.Arity))}>'.");

    private IEnumerable<string> NearMisses(string name)
    {
        string last = name.Split('.')[^1];
        int most = Math.Max(1, last.Length / 4);
        return assemblies.Types.Concat(s_platform.Value.Where(static one => one.IsPublic))
            .Select(one => (one.Spelled, Distance: Distance(one.Name.Split('.')[^1], last)))
            .Where(one => one.Distance <= most)
            .OrderBy(static one => one.Distance)
            .Select(static one => one.Spelled)
            .Distinct();
    }

    // The fewest letters to change, add or leave out (Wagner and Fischer, 1974); case counts for nothing.
    private static int Distance(string one, string other)
    {
        int[] row = [.. Enumerable.Range(0, other.Length + 1)];
        for (int i = 1; i <= one.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.Length; j++)
            {
                int changed = diagonal + (char.ToUpperInvariant(one[i - 1]) == char.ToUpperInvariant(other[j - 1]) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(changed, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[other.Length];
    }

    private static string Listed(IEnumerable<string> names)
    {
        string[] all = [.. names];
        string shown = string.Join(", ", all.Take(MostNamed));
        return all.Length > MostNamed ? $"{shown} or {all.Length - MostNamed} others" : shown;
    }

    // What the process may load: the runtime's assemblies, and those beside the tool.
    private static IReadOnlyList<IndexedType> ReadPlatform() =>
        [.. ((string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Distinct() // the runtime's own core is listed twice
            .SelectMany(AssemblyIndex.Read)];

    private static ToolException Wrong(string message, Exception? error = null) => new(message, ExitCode.Usage, error);
}
