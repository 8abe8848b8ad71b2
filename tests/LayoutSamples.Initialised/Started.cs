using System.Runtime.CompilerServices;

namespace Raceway.LayoutSamples.Initialised;

/// <summary>An assembly that does something as soon as one of its objects is made.</summary>
public static class Started
{
    /// <summary>Where the process can see that the initialiser has run.</summary>
    public const string Key = "Raceway.LayoutSamples.Started";

#pragma warning disable CA2255 // It is what this assembly is for.
    [ModuleInitializer]
    internal static void Run() => AppContext.SetData(Key, true);
#pragma warning restore CA2255
}

/// <summary>A class of it.</summary>
public class Kept
{
    /// <summary>A number.</summary>
    public long Number { get; set; }

    /// <summary>A smaller one.</summary>
    public byte Small { get; set; }
}

/// <summary>A struct of it.</summary>
public struct KeptValue
{
    /// <summary>A number.</summary>
    public long Number { get; set; }

    /// <summary>A smaller one.</summary>
    public byte Small { get; set; }
}
