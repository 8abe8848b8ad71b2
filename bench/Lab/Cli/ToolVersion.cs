using System.Reflection;

namespace Raceway.Lab.Cli;

/// <summary>The version of the tool and the commit it was built from, as the build wrote them into the assembly.</summary>
internal static class ToolVersion
{
    private static readonly string[] s_parts = (typeof(ToolVersion).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "0").Split('+', 2);

    /// <summary>Such as <c>0.1.0</c>.</summary>
    public static string Number => s_parts[0];

    /// <summary>The commit, where the build knew it.</summary>
    public static string? Commit => s_parts.Length > 1 ? s_parts[1] : null;

    /// <summary>Whether contestants that need a package which not every source carries are built in.</summary>
    public static bool HasPeerPackages { get; } = typeof(ToolVersion).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>()
        .Any(static one => one is { Key: "PeerPackages", Value: "true" });
}
