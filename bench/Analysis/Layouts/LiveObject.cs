using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Raceway.Analysis.Layouts;

/// <summary>Makes objects to be looked at: zeroed, and no constructor is run.</summary>
internal static class LiveObject
{
    private const int Tries = 8;

    /// <summary>An object of the type, boxed where it is a struct.</summary>
    public static object Create(Type type) => RuntimeHelpers.GetUninitializedObject(type);

    /// <summary>The bytes that one takes of the heap, header included: what allocating it is charged with.</summary>
    public static int SizeOf(Type type)
    {
        Create(type);
        long least = long.MaxValue;
        for (int i = 0; i < Tries; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            Create(type);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return (int)least;
    }

    /// <summary>Why none can be made of the type; null where one can.</summary>
    /// <param name="type">The type.</param>
    /// <param name="mayRunCode">Whether the initialisers of its assembly may run.</param>
    public static string? WhyNot(Type type, bool mayRunCode) =>
        type.IsByRefLike ? "a ref struct lives on the stack alone"
        : type.IsAbstract ? "an abstract class has no objects of its own"
        : type.IsSubclassOf(typeof(Delegate)) ? "the runtime alone makes delegates"
        : Nullable.GetUnderlyingType(type) is not null ? "boxed, a nullable is its value or nothing"
        : HasFinalizer(type) ? "its finalizer would meet fields that no constructor has set"
        : mayRunCode ? null
        : Runs(type) is { } code ? $"making one would run {code} (--live allows it)"
        : null;

    // Making an object runs the initialiser of the module, and the type's own where it is not marked as being run lazily.
    private static string? Runs(Type type)
    {
        foreach (Type part in Parts(type))
        {
            if (!IsLoadedForLooking(part.Assembly)) continue;
            if (HasInitialiser(part.Assembly))
                return $"the module initialiser of {part.Assembly.GetName().Name}";
            for (Type? own = part; own is not null; own = own.BaseType)
            {
                if (own.TypeInitializer is not null && !own.Attributes.HasFlag(TypeAttributes.BeforeFieldInit))
                    return $"the static constructor of {TypeNames.Of(own)}";
            }
        }

        return null;
    }

    // The collector itself finalizes some objects (weak references) even where that is suppressed.
    private static bool HasFinalizer(Type type)
    {
        for (Type? part = type; part is not null && part != typeof(object); part = part.BaseType)
        {
            if (part.GetMethod("Finalize", LayoutInspector.Declared, Type.EmptyTypes) is not null) return true;
        }

        return false;
    }

    // Reflection does not show the type that holds a module's initialiser: the first one of its metadata.
    private static unsafe bool HasInitialiser(Assembly assembly)
    {
        // SAFETY: the metadata lie in the loaded file, which the assembly keeps.
        if (!assembly.TryGetRawMetadata(out byte* metadata, out int length)) return true;
        var reader = new MetadataReader(metadata, length);
        TypeDefinition module = reader.GetTypeDefinition(MetadataTokens.TypeDefinitionHandle(1));
        bool found = module.GetMethods().Any(one => reader.StringComparer.Equals(reader.GetMethodDefinition(one).Name, ".cctor"));
        GC.KeepAlive(assembly);
        return found;
    }

    private static IEnumerable<Type> Parts(Type type)
    {
        for (Type? own = type; own is not null; own = own.BaseType)
        {
            yield return own;
            foreach (Type part in own.GetGenericArguments().Where(static one => !one.IsGenericParameter).SelectMany(Parts))
                yield return part;
        }
    }

    private static bool IsLoadedForLooking(Assembly assembly) =>
        AssemblyLoadContext.GetLoadContext(assembly) is { IsCollectible: true };
}
