"""Functions of each dialect that sqlglot does not know by name, and that only compute a value.

A function that is in neither place is refused: it may be one of the database's owner, call a model
or a service, or read a file.
"""

from __future__ import annotations

import re


def _named(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[\w.]+", text))


FUNCTIONS: dict[str, frozenset[str]] = {
    "snowflake": _named(
        """
    arrays_to_object as_array as_binary as_boolean as_char as_date as_decimal as_double
    as_integer as_number as_object as_real as_time as_timestamp_ltz as_timestamp_ntz
    as_timestamp_tz as_varchar bitshiftleft bitshiftright conditional_change_event
    conditional_true_event h3_cell_to_boundary h3_cell_to_children h3_cell_to_parent
    h3_cell_to_point h3_coverage h3_coverage_strings h3_get_resolution h3_grid_disk
    h3_grid_distance h3_int_to_string h3_is_valid_cell h3_latlng_to_cell
    h3_latlng_to_cell_string h3_point_to_cell h3_point_to_cell_string h3_polygon_to_cells
    h3_string_to_int hash haversine hll_accumulate hll_combine hll_estimate hll_export
    hll_import ilike_any is_binary is_boolean is_char is_date is_date_value is_decimal
    is_distinct_from is_double is_integer is_object is_real is_time is_timestamp_ltz
    is_timestamp_ntz is_timestamp_tz is_varchar like_all like_any min_max object_delete
    object_pick parse_xml ratio_to_report regexp st_area st_asbinary st_asewkb st_asewkt
    st_asgeojson st_astext st_aswkb st_aswkt st_azimuth st_buffer st_centroid st_collect
    st_contains st_coveredby st_covers st_difference st_dimension st_disjoint st_dwithin
    st_endpoint st_envelope st_geogfromgeohash st_geogfromtext st_geogfromwkb
    st_geogpointfromgeohash st_geographyfromtext st_geographyfromwkb st_geographyfromwkt
    st_geohash st_geometryfromtext st_geometryfromwkb st_geometryfromwkt st_geomfromtext
    st_geomfromwkb st_geompoint st_geompointfromgeohash st_hausdorffdistance st_interpolate
    st_intersection st_intersection_agg st_intersects st_isvalid st_length st_makegeompoint
    st_makeline st_makepolygon st_makepolygonoriented st_npoints st_numpoints st_perimeter
    st_pointn st_polygon st_setsrid st_simplify st_srid st_startpoint st_symdifference
    st_transform st_union st_union_agg st_within st_x st_xmax st_xmin st_y st_ymax st_ymin
    to_geography to_geometry to_object to_timestamp to_timestamp_ltz to_timestamp_ntz
    to_timestamp_tz to_xml trunc try_to_geography try_to_geometry try_to_timestamp
    try_to_timestamp_ltz try_to_timestamp_ntz try_to_timestamp_tz
    """
    ),
    "bigquery": _named(
        """
    array_avg array_first_n array_includes array_includes_all array_includes_any
    array_is_distinct array_last_n array_transform array_zip bool_array date_bucket
    datetime_bucket float32 float64_array generate_range_array hll_count.extract hll_count.init
    hll_count.merge hll_count.merge_partial ieee_divide int64_array keys.keyset_length net.host
    net.ip_from_string net.ip_net_mask net.ip_to_string net.ip_trunc net.ipv4_from_int64
    net.ipv4_to_int64 net.public_suffix net.reg_domain net.safe_ip_from_string nullifzero range
    range_contains range_end range_intersect range_overlaps range_start s2_cellidfrompoint
    s2_coveringcellids search st_area st_asbinary st_asgeojson st_astext st_azimuth st_boundary
    st_boundingbox st_buffer st_bufferwithtolerance st_centroid st_centroid_agg st_closestpoint
    st_clusterdbscan st_contains st_convexhull st_coveredby st_covers st_difference st_dimension
    st_disjoint st_dump st_dwithin st_endpoint st_equals st_extent st_exteriorring st_geogfrom
    st_geogfromgeojson st_geogfromtext st_geogfromwkb st_geogpoint st_geogpointfromgeohash
    st_geohash st_geometrytype st_hausdorffdistance st_hausdorffdwithin st_interiorrings
    st_intersection st_intersects st_intersectsbox st_isclosed st_iscollection st_isempty
    st_isring st_length st_lineinterpolatepoint st_linelocatepoint st_linesubstring st_makeline
    st_makepolygon st_makepolygonoriented st_maxdistance st_npoints st_numgeometries
    st_numpoints st_perimeter st_pointn st_regionstats st_simplify st_snaptogrid st_startpoint
    st_touches st_union st_union_agg st_within st_x st_y string_array timestamp_bucket
    zeroifnull
    """
    ),
    "trino": _named(
        """
    all_match any_match approx_most_frequent approx_set array_histogram array_union
    arrays_overlap at_timezone bar beta_cdf bing_tile bing_tile_at bing_tile_quadkey
    bing_tiles_around bit_count bitwise_left_shift bitwise_right_shift
    bitwise_right_shift_arithmetic checksum codepoint color combinations contains_sequence
    cosine_similarity crc32 e empty_approx_set entropy every exclude_columns format_datetime
    format_number from_base64url from_big_endian_32 from_big_endian_64 from_unixtime_nanos
    geometric_mean geometry_union great_circle_distance hamming_distance histogram hmac_md5
    hmac_sha1 hmac_sha256 hmac_sha512 human_readable_seconds infinity inverse_beta_cdf
    inverse_normal_cdf is_finite is_infinite is_json_scalar json_array json_array_get
    json_array_length json_exists json_size luhn_check map_agg map_concat map_entries map_filter
    map_union map_values map_zip_with merge millisecond multimap_agg multimap_from_entries
    murmur3 nan ngrams none_match normal_cdf numeric_histogram parse_duration qdigest_agg
    quantile_at_value reduce_agg regexp_position render rgb split_to_multimap spooky_hash_v2_32
    st_area st_asbinary st_astext st_boundary st_buffer st_centroid st_contains st_convexhull
    st_coorddim st_crosses st_difference st_dimension st_disjoint st_endpoint st_envelope
    st_envelopeaspts st_equals st_exteriorring st_geometries st_geometryfromtext st_geometryn
    st_geometrytype st_geomfrombinary st_interiorringn st_interiorrings st_intersection
    st_intersects st_isclosed st_isempty st_isring st_issimple st_isvalid st_length
    st_linefromtext st_linestring st_multipoint st_numgeometries st_numinteriorring st_numpoints
    st_overlaps st_pointn st_points st_polygon st_relate st_startpoint st_symdifference
    st_touches st_union st_within st_x st_xmax st_xmin st_y st_ymax st_ymin strrpos t_cdf t_pdf
    table tdigest_agg timezone timezone_hour timezone_minute to_base to_base64url
    to_big_endian_32 to_big_endian_64 to_geometry to_iso8601 to_milliseconds
    to_spherical_geography transform_keys transform_values trim_array url_decode url_encode
    url_extract_fragment url_extract_host url_extract_parameter url_extract_path
    url_extract_port url_extract_protocol url_extract_query value_at_quantile
    values_at_quantiles wilson_interval_lower wilson_interval_upper with_timezone word_stem
    xxhash64 yow zip zip_with
    """
    ),
    "tsql": _named(
        """
    approx_percentile_cont approx_percentile_disc binary_checksum bit_count checksum
    checksum_agg choose datalength date_bucket datetime2fromparts datetimeoffsetfromparts
    decompress difference edit_distance edit_distance_similarity getutcdate hashbytes isdate
    isjson isnumeric jaro_winkler_distance jaro_winkler_similarity json_array json_modify
    json_path_exists left_shift nchar parse patindex quotename regexp_matches
    regexp_split_to_table right_shift set_bit smalldatetimefromparts stdevp str string_escape
    string_split switchoffset sysutcdatetime todatetimeoffset try_parse var varp vector_distance
    """
    ),
    "databricks": _named(
        """
    array_repeat array_union arrays_overlap bigint bin binary bit_reverse bround btrim
    cardinality conv count_min_sketch crc32 date_part datepart decimal e every expm1 find_in_set
    forall format_number from_csv from_xml get h3_boundaryasgeojson h3_boundaryaswkt
    h3_centeraswkt h3_distance h3_ischildof h3_kring h3_longlatash3 h3_longlatash3string
    h3_polyfillash3 h3_resolution h3_toparent hash histogram_numeric hll_sketch_agg
    hll_sketch_estimate hll_union hll_union_agg hypot inline_outer is_distinct is_variant_null
    isnotnull isnull json_array_length json_tuple log1p luhn_check make_date make_dt_interval
    make_timestamp_ltz make_timestamp_ntz make_ym_interval map_concat map_entries map_filter
    map_values map_zip_with mask mean nullifzero octet_length pmod positive printf range regexp
    schema_of_csv schema_of_json schema_of_json_agg schema_of_variant schema_of_variant_agg
    sentences shiftrightunsigned smallint some st_area st_asbinary st_asgeojson st_astext
    st_buffer st_centroid st_contains st_convexhull st_difference st_dwithin st_envelope
    st_equals st_geogfromtext st_geomfromgeojson st_geomfromtext st_geomfromwkb st_intersection
    st_intersects st_isvalid st_length st_makeline st_npoints st_perimeter st_simplify st_srid
    st_touches st_transform st_union st_union_agg st_within st_x st_y std timediff
    timestamp_micros timestamp_millis timestamp_seconds tinyint to_csv to_varchar
    to_variant_object to_xml transform_keys transform_values try_aes_decrypt try_avg try_mod
    try_parse_json try_sum try_to_binary try_to_number try_to_timestamp try_variant_get
    url_decode url_encode variant_explode variant_explode_outer variant_get weekday window xpath
    xpath_boolean xpath_double xpath_int xpath_string xxhash64 zeroifnull zip_with
    """
    ),
    "redshift": _named(
        """
    array_flatten bpcharcmp can_json_parse checksum crc32 date_cmp date_cmp_timestamp
    date_cmp_timestamptz date_part_year dexp difference dlog1 dlog10 fnv_hash from_varbyte
    func_sha1 get_array_length h3_fromlonglat h3_frompoint h3_polyfill interval_cmp is_bigint
    is_boolean is_char is_decimal is_float is_integer is_object is_scalar is_smallint
    is_valid_json is_valid_json_array is_varchar isnull json_array_length
    json_extract_array_element_text json_serialize json_size json_typeof lower_attribute_names
    object octet_length octetindex quote_ident quote_literal ratio_to_report replicate size
    st_addpoint st_area st_asbinary st_asewkt st_asgeojson st_astext st_azimuth st_boundary
    st_buffer st_centroid st_collect st_contains st_convexhull st_coveredby st_covers st_crosses
    st_dimension st_disjoint st_distancesphere st_dwithin st_endpoint st_envelope st_equals
    st_geogfromtext st_geohash st_geometrytype st_geomfromewkt st_geomfromgeojson
    st_geomfromtext st_geomfromwkb st_intersection st_intersects st_isempty st_isvalid st_length
    st_lengthsphere st_makeenvelope st_makeline st_makepolygon st_npoints st_numpoints
    st_perimeter st_pointn st_polygon st_setsrid st_simplify st_srid st_startpoint st_touches
    st_transform st_union st_within st_x st_xmax st_xmin st_y st_ymax st_ymin subarray
    text_to_int_alt text_to_numeric_alt timeofday timestamp_cmp timestamp_cmp_date timezone
    to_timestamptz to_varbyte upper_attribute_names urldecode urlencode
    """
    ),
}
"""By the name of the dialect, in lower case; a name with a dot only in this form."""
