using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Raceway.Lab.Layouts;

/// <summary>A type in an assembly that may not be loaded yet.</summary>
/// <param name="Name">Namespace, enclosing types and name, with dots between, without arity.</param>
/// <param name="ReflectionName">The name that reflection finds it by.</param>
/// <param name="Arity">How many type parameters it has, those of enclosing types included.</param>
/// <param name="IsPublic">Whether others see it.</param>
/// <param name="Assembly">Where it is.</param>
internal sealed record IndexedType(string Name, string ReflectionName, int Arity, bool IsPublic, string Assembly)
{
    /// <summary>The name as C# spells it, with what its parameters may be left open.</summary>
    public string Spelled => Arity == 0 ? Name : $"{Name}<{new string(',', Arity - 1)}>";
}

/// <summary>The names of an assembly's types, read from the file: nothing is loaded and none of its code is run.</summary>
internal static class AssemblyIndex
{
    /// <summary>Lists the classes, structs and the rest, without those that the compiler made for itself.</summary>
    /// <param name="path">The file.</param>
    /// <exception cref="BadImageFormatException">It is no .NET assembly.</exception>
    public static IReadOnlyList<IndexedType> Read(string path)
    {
        using FileStream file = File.OpenRead(path);
        using var image = new PEReader(file);
        if (!image.HasMetadata) throw new BadImageFormatException("It has no metadata.");
        MetadataReader metadata = image.GetMetadataReader();
        if (!metadata.IsAssembly) throw new BadImageFormatException("It is a module without an assembly.");
        return
        [
            .. metadata.TypeDefinitions.Select(handle => Of(metadata, handle, path)).Where(static one => !one.Name.Contains('<')),
        ];
    }

    private static IndexedType Of(MetadataReader metadata, TypeDefinitionHandle handle, string path)
    {
        TypeDefinition type = metadata.GetTypeDefinition(handle);
        string name = metadata.GetString(type.Name);
        string bare = name.Split('`')[0];
        int arity = type.GetGenericParameters().Count;
        if (type.GetDeclaringType() is { IsNil: false } around)
        {
            IndexedType outer = Of(metadata, around, path);
            bool isVisible = outer.IsPublic && type.Attributes.HasFlag(TypeAttributes.NestedPublic);
            return new IndexedType($"{outer.Name}.{bare}", $"{outer.ReflectionName}+{name}", arity, isVisible, path);
        }

        string space = metadata.GetString(type.Namespace);
        string before = space.Length == 0 ? "" : space + ".";
        bool isPublic = (type.Attributes & TypeAttributes.VisibilityMask) == TypeAttributes.Public;
        return new IndexedType(before + bare, before + name, arity, isPublic, path);
    }
}
