using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Layouts;

/// <summary>Assemblies that were loaded to be looked at, each with what it depends on, apart from the tool's own.</summary>
internal sealed class InspectedAssemblies : IDisposable
{
    private readonly List<Context> _contexts = [];
    private readonly List<IndexedType> _types = [];

    /// <summary>The types of all of them.</summary>
    public IReadOnlyList<IndexedType> Types => _types;

    /// <summary>Adds an assembly by its file.</summary>
    /// <exception cref="ToolException">There is no such file, or it is no .NET assembly; the message says which.</exception>
    public void Add(string path)
    {
        const string Remedy = "--assembly takes the .dll that a build of your project made.";
        if (Directory.Exists(path)) throw Wrong($"'{path}' is a folder; {Remedy}");
        if (!File.Exists(path)) throw Wrong($"there is no file '{path}'; {Remedy}");
        try
        {
            FileKind.RefuseSpecial(path);
            string full = Path.GetFullPath(path);
            _types.AddRange(AssemblyIndex.Read(full));
            _contexts.Add(new Context(full));
        }
        catch (Exception error) when (error is BadImageFormatException or InvalidOperationException)
        {
            string beside = Path.ChangeExtension(path, ".dll");
            string hint = beside != path && File.Exists(beside) ? $"did you mean '{beside}'?" : Remedy;
            throw Wrong($"'{path}' is not a .NET assembly; {hint}", error);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw Wrong($"cannot read '{path}': {error.Message}", error);
        }
    }

    /// <summary>Loads a type; those of the tool and the runtime come from where the tool has them.</summary>
    /// <exception cref="ToolException">It, or something that it needs, cannot be loaded; the message says what.</exception>
    public Type Load(IndexedType type)
    {
        try
        {
            Assembly assembly = _contexts.Find(one => one.Path == type.Assembly)?.Load()
                ?? Assembly.Load(new AssemblyName(Path.GetFileNameWithoutExtension(type.Assembly)));
            return assembly.GetType(type.ReflectionName, throwOnError: true)!;
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException)
        {
            throw Wrong($"{type.Spelled} cannot be loaded: {Reason(error, type.Assembly)}", error);
        }
    }

    /// <summary>Why something could not be loaded, and what helps.</summary>
    public static string Reason(Exception error, string assembly) =>
        (error as FileNotFoundException)?.FileName is { } missing
            ? $"it needs {missing.Split(',')[0]}, which is neither beside '{Path.GetFileName(assembly)}' nor part of the "
                + "runtime. Give the .dll of the folder that 'dotnet publish' writes, which has all that it needs."
            : error.Message.Split('\n')[0].Trim();

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Context context in _contexts) context.Unload();
    }

    private static ToolException Wrong(string message, Exception? error = null) => new(message, ExitCode.Usage, error);

    private sealed class Context(string path)
        : AssemblyLoadContext(System.IO.Path.GetFileNameWithoutExtension(path), isCollectible: true)
    {
        private readonly AssemblyDependencyResolver _resolver = new(path);

        public string Path => path;

        public Assembly Load() => LoadFromAssemblyPath(path);

        // Not what the tool happens to have: only the runtime's assemblies are shared with it.
        protected override Assembly? Load(AssemblyName assemblyName) =>
            _resolver.ResolveAssemblyToPath(assemblyName) is { } found ? LoadFromAssemblyPath(found)
            : File.Exists(System.IO.Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), assemblyName.Name + ".dll")) ? null
            : throw new FileNotFoundException("It is not there.", assemblyName.FullName);
    }
}
