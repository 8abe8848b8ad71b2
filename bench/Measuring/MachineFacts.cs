using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using System.Text;

namespace Raceway.Measuring;

/// <summary>
/// Reads the facts of <see cref="MachineCard"/>; whatever a system does not tell falls back, never throws.
/// </summary>
internal static class MachineFacts
{
    private const int UsualLineSize = 64;

    public static string CpuName()
    {
        string name = FromCpuId() ?? FromFile("/proc/cpuinfo", "model name") ?? FromFile("/proc/cpuinfo", "CPU part")
            ?? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER") ?? "unknown";
        return string.Join(' ', name.Split(' ', StringSplitOptions.RemoveEmptyEntries));
    }

    public static int LogicalCores() =>
        ReadText("/sys/devices/system/cpu/online") is { } list && CountOf(list) is > 0 and var count
            ? count : Environment.ProcessorCount;

    public static string? Affinity()
    {
        if (FromFile("/proc/self/status", "Cpus_allowed_list") is { } list) return list;
        if (!OperatingSystem.IsWindows()) return null;
        using var process = Process.GetCurrentProcess();
        return "0x" + process.ProcessorAffinity.ToString("x", CultureInfo.InvariantCulture);
    }

    public static int LineSize() =>
        ReadText("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size") is { } text
        && int.TryParse(text, CultureInfo.InvariantCulture, out int size) && size > 0 ? size : UsualLineSize;

    public static string Os() => RuntimeInformation.OSDescription;

    /// <summary>The maker of the processor, as it says itself; x86 only.</summary>
    public static string Vendor()
    {
        (_, int first, int last, int middle) = X86Base.CpuId(0, 0);
        return Encoding.ASCII.GetString(MemoryMarshal.AsBytes<int>([first, middle, last]));
    }

    public static string Architecture() => RuntimeInformation.ProcessArchitecture.ToString();

    public static string Runtime() => RuntimeInformation.FrameworkDescription;

    public static int VectorBits() =>
        Vector512.IsHardwareAccelerated ? 512
        : Vector256.IsHardwareAccelerated ? 256
        : Vector128.IsHardwareAccelerated ? 128 : 0;

    public static double ClockTick() => 1e9 / Stopwatch.Frequency;

    public static bool ConcurrentGc() =>
        GC.GetConfigurationVariables().TryGetValue("ConcurrentGC", out object? value) && value is true;

    /// <summary>The settings of the just-in-time compiler that are not the default ones.</summary>
    public static string Tiering()
    {
        (string Name, string Knob, string Variable)[] settings =
        [
            ("tiered compilation", "System.Runtime.TieredCompilation", "TieredCompilation"),
            ("profile-guided optimisation", "System.Runtime.TieredPGO", "TieredPGO"),
            ("quick jit", "System.Runtime.TieredCompilation.QuickJit", "TC_QuickJit"),
            ("quick jit for loops", "System.Runtime.TieredCompilation.QuickJitForLoops", "TC_QuickJitForLoops"),
            ("ready-to-run code", "System.Runtime.ReadyToRun", "ReadyToRun"),
        ];
        string[] changed =
        [
            .. settings.Select(static s => (s.Name, Value: Setting(s.Knob, s.Variable)))
                .Where(static s => s.Value is not null).Select(static s => $"{s.Name}={s.Value}"),
        ];
        return changed.Length == 0 ? "default" : string.Join(", ", changed);
    }

    private static string? Setting(string knob, string variable) =>
        Environment.GetEnvironmentVariable("DOTNET_" + variable)
        ?? AppContext.GetData(knob)?.ToString();

    private static string? FromCpuId()
    {
        // Extended leaves are numbered from int.MinValue; 2, 3 and 4 of them hold the name.
        const int brand = int.MinValue + 2;
        if (!X86Base.IsSupported || X86Base.CpuId(int.MinValue, 0).Eax is >= 0 or < brand + 2) return null;

        // Three leaves of four registers: 48 characters.
        Span<int> words = stackalloc int[12];
        for (int i = 0; i < 3; i++)
        {
            (words[4 * i], words[(4 * i) + 1], words[(4 * i) + 2], words[(4 * i) + 3]) = X86Base.CpuId(brand + i, 0);
        }

        string name = Encoding.ASCII.GetString(MemoryMarshal.AsBytes(words)).TrimEnd('\0').Trim();
        return name.Length == 0 ? null : name;
    }

    private static string? FromFile(string path, string key)
    {
        foreach (string line in ReadText(path)?.Split('\n') ?? [])
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0 && line.AsSpan(0, colon).Trim().SequenceEqual(key)) return line[(colon + 1)..].Trim();
        }

        return null;
    }

    /// <summary>How many processors a list such as <c>0-3,8</c> names.</summary>
    internal static int CountOf(string list)
    {
        int count = 0;
        foreach (string part in list.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            string[] ends = part.Split('-');
            if (!int.TryParse(ends[0], CultureInfo.InvariantCulture, out int first)
                || !int.TryParse(ends[^1], CultureInfo.InvariantCulture, out int last)) return 0;
            count += last - first + 1;
        }

        return count;
    }

    internal static string? ReadText(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path).Trim() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
