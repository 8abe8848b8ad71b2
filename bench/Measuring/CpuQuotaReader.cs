using System.Globalization;

namespace Raceway.Measuring;

/// <summary>
/// Reads how many processors' worth of time the control group of this process allows (Linux, versions 1 and 2).
/// </summary>
internal static class CpuQuotaReader
{
    private const string Root = "/sys/fs/cgroup";

    /// <summary>The quota; <see langword="null"/> where there is none.</summary>
    public static double? Read()
    {
        double? least = null;
        foreach (string line in MachineFacts.ReadText("/proc/self/cgroup")?.Split('\n') ?? [])
        {
            // hierarchy:controllers:path; version 2 has no controllers.
            string[] parts = line.Split(':', 3);
            if (parts.Length != 3) continue;
            bool unified = parts[1].Length == 0;
            if (!unified && !parts[1].Split(',').Contains("cpu")) continue;
            string mount = unified ? Root : $"{Root}/{parts[1]}";
            least = Least(least, LeastUpTo(mount, parts[2], unified));
            if (!unified) least = Least(least, LeastUpTo($"{Root}/cpu", parts[2], unified));
        }

        return least;
    }

    // A parent's quota binds its children. Inside a container the path may not exist and its root is the group.
    private static double? LeastUpTo(string mount, string path, bool unified)
    {
        double? least = null;
        for (string group = path.TrimEnd('/'); ; group = group[..group.LastIndexOf('/')])
        {
            least = Least(least, unified ? Unified(mount + group) : Legacy(mount + group));
            if (group.Length == 0 || !group.Contains('/', StringComparison.Ordinal)) return least;
        }
    }

    private static double? Unified(string folder) =>
        MachineFacts.ReadText($"{folder}/cpu.max")?.Split(' ') is [var quota, var period]
            ? Share(quota, period) : null;

    private static double? Legacy(string folder) =>
        MachineFacts.ReadText($"{folder}/cpu.cfs_quota_us") is { } quota
        && MachineFacts.ReadText($"{folder}/cpu.cfs_period_us") is { } period
            ? Share(quota, period) : null;

    // "max" (version 2) and -1 (version 1) mean no limit.
    internal static double? Share(string quota, string period) =>
        long.TryParse(quota, CultureInfo.InvariantCulture, out long time) && time > 0
        && long.TryParse(period, CultureInfo.InvariantCulture, out long of) && of > 0
            ? (double)time / of : null;

    private static double? Least(double? a, double? b) => a is null ? b : b is null ? a : Math.Min(a.Value, b.Value);
}
