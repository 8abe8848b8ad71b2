namespace Raceway.Tests.Support;

/// <summary>What starts an assembly as a process of its own.</summary>
internal static class DotnetHost
{
    /// <summary>What runs this process where that is dotnet; the first on the path where it is a runner's own program.</summary>
    public static string Program { get; } =
        Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";
}
