using System.Reflection;
using System.Runtime.Loader;
using Raceway.Pipelines;

namespace Raceway.Analysis.Tuning;

/// <summary>Finds the trial in a user's assembly.</summary>
public static class TrialAssembly
{
    /// <summary>Loads the assembly and finds its <see cref="ITrial{T}"/>.</summary>
    /// <param name="path">The assembly; what it needs is looked for beside it, as its own program would.</param>
    /// <param name="type">The type's name, with or without its namespace; none where there is one only.</param>
    /// <exception cref="TuneException">There is no such file or type, or it cannot be made; the message says what to do.</exception>
    public static ITrialHost Load(string path, string? type)
    {
        Assembly assembly;
        Type[] types;
        try
        {
            string full = Path.GetFullPath(path);
            assembly = new Context(full).LoadFromAssemblyPath(full);
            types = assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException error)
        {
            throw new TuneException($"'{path}' cannot be loaded: {error.LoaderExceptions.OfType<Exception>().First().Message}");
        }
        catch (Exception error) when (error is IOException or BadImageFormatException or UnauthorizedAccessException)
        {
            throw new TuneException($"'{path}' cannot be loaded as an assembly of .NET: {FirstLine(error.Message)} Give the .dll that the build makes.");
        }

        Type found = Chosen(path, [.. types.Where(static one => TrialOf(one) is not null)], type);
        if (found.IsAbstract || found.ContainsGenericParameters || found.GetConstructor(Type.EmptyTypes) is not { } constructor)
            throw new TuneException($"'{found}' must be a class with a constructor without parameters, so that each trial has its own object.");
        Type item = TrialOf(found)!.GetGenericArguments()[0];
        return (ITrialHost)s_hostOf.MakeGenericMethod(item).Invoke(null, [found.FullName, constructor])!;
    }

    private static readonly MethodInfo s_hostOf =
        typeof(TrialAssembly).GetMethod(nameof(HostOf), BindingFlags.NonPublic | BindingFlags.Static)!;

    private static TrialHost<T> HostOf<T>(string name, ConstructorInfo constructor) =>
        new(name, () => (ITrial<T>)constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, null, null));

    private static Type Chosen(string path, Type[] trials, string? type)
    {
        string names = string.Join(", ", trials.Select(static one => one.FullName));
        if (trials.Length == 0)
            throw new TuneException($"'{path}' has no class that implements ITrial<T> of Raceway.Pipelines. Write one: dotnet new raceway-benchmark (package Raceway.Templates) makes a project that has one.");
        if (type is null)
        {
            return trials.Length == 1
                ? trials[0]
                : throw new TuneException($"'{path}' has {trials.Length} trials. Say which by --type: {names}.");
        }

        return trials.FirstOrDefault(one => one.FullName == type) ?? trials.FirstOrDefault(one => one.Name == type)
            ?? throw new TuneException($"'{path}' has no trial '{type}'. It has {names}.");
    }

    private static Type? TrialOf(Type type) => type.IsInterface
        ? null
        : type.GetInterfaces().FirstOrDefault(static one => one.IsGenericType && one.GetGenericTypeDefinition() == typeof(ITrial<>));

    private static string FirstLine(string text) => text.Split('\n', 2)[0].TrimEnd('\r');

    // The library is the tool's own, so that its types are the same on both sides; all else is the assembly's.
    private sealed class Context(string path) : AssemblyLoadContext
    {
        private readonly AssemblyDependencyResolver _resolver = new(path);

        protected override Assembly? Load(AssemblyName name) =>
            name.Name is "Raceway.Rings" or "Raceway.Concurrency" or "Raceway.Pipelines" ? null
            : _resolver.ResolveAssemblyToPath(name) is { } found ? LoadFromAssemblyPath(found)
            : null;
    }
}
