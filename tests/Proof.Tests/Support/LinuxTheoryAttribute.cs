using System.Runtime.CompilerServices;

namespace Raceway.Proof.Tests.Support;

/// <summary>A theory about what only Linux can be asked for.</summary>
public sealed class LinuxTheoryAttribute : TheoryAttribute
{
    public LinuxTheoryAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line)
    {
        if (!OperatingSystem.IsLinux()) Skip = "Threads are bound to processors on Linux only.";
    }
}
