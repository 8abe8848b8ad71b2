using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Raceway.Suites.Batching.Database;

/// <summary>The SQLite that is measured: the one beside the program, or else the system's.</summary>
/// <remarks>
/// The tool's package brings none along: it would be one for each system that there is, of which a machine needs one at most.
/// Windows and macOS have a SQLite of their own, and on Linux it is a package of the system.
/// </remarks>
internal static class SqliteLibrary
{
    private const string Bundled = "e_sqlite3";

    // Behind the bundled one as Linux, macOS and Windows call theirs.
    private static readonly string[] s_names = [Bundled, "libsqlite3.so.0", "libsqlite3.dylib", "winsqlite3"];

    private static readonly Lazy<string?> s_missing = new(Try);

    /// <summary>Why there is no SQLite, or <see langword="null"/> if there is one. It is looked for when this is first asked.</summary>
    public static string? Missing => s_missing.Value;

    /// <summary>Opens a file.</summary>
    /// <exception cref="InvalidOperationException">There is no SQLite.</exception>
    public static SqliteConnection Open(string file)
    {
        if (Missing is { } reason) throw new InvalidOperationException($"A SQLite must be there: {reason}. Check {nameof(Missing)} before.");
        var connection = new SqliteConnection($"Data Source={file};Pooling=False");
        connection.Open();
        return connection;
    }

    private static string? Try()
    {
        Assembly provider = typeof(SQLite3Provider_e_sqlite3).Assembly;
        foreach (string name in s_names)
        {
            if (!NativeLibrary.TryLoad(name, provider, null, out nint library)) continue;
            NativeLibrary.SetDllImportResolver(provider, (asked, _, _) => asked == Bundled ? library : 0);
            return null;
        }

        return "needs SQLite, which is not on this machine (Debian's package libsqlite3-0)";
    }
}
